#include "diagnose/outcome.h"

#include <stdarg.h>
#include <stdio.h>

#define OUTCOME_SCREEN(v, screen, json) [OUTCOME_##v] = (screen),
const char *const outcome_screen_text[OUTCOME_COUNT] = {
    OUTCOME_VERDICT_LIST(OUTCOME_SCREEN)};
#define OUTCOME_JSON(v, screen, json) [OUTCOME_##v] = (json),
const char *const outcome_json_text[OUTCOME_COUNT] = {OUTCOME_VERDICT_LIST(OUTCOME_JSON)};

void outcome_set(struct outcome *o, enum outcome_verdict verdict, const char *fmt, ...)
{
    va_list args;
    o->verdict = verdict;
    va_start(args, fmt);
    vsnprintf(o->text, sizeof o->text, fmt, args);
    va_end(args);
}

void outcome_next(struct outcome *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(o->next, sizeof o->next, fmt, args);
    va_end(args);
}

void outcome_unknown(struct outcome *o, const char *reason)
{
    outcome_set(o, OUTCOME_UNKNOWN, "not available: %s", reason);
}
