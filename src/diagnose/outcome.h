/* What a check says: a verdict, a sentence, and the command or setting to go on with. */
#ifndef GAIT_DIAGNOSE_OUTCOME_H
#define GAIT_DIAGNOSE_OUTCOME_H

/* E(VALUE, "on the screen", "in JSON"), in the order of the screen. */
#define OUTCOME_VERDICT_LIST(E)                                                          \
    E(FAIL, "FAIL", "FAIL")                                                              \
    E(WARN, "WARN", "WARN")                                                              \
    E(OK, "ok", "ok")                                                                    \
    E(UNKNOWN, "n/a", "not_available")
#define OUTCOME_VERDICT_VALUE(v, screen, json) OUTCOME_##v,
enum outcome_verdict { OUTCOME_VERDICT_LIST(OUTCOME_VERDICT_VALUE) OUTCOME_COUNT };
extern const char *const outcome_screen_text[OUTCOME_COUNT];
extern const char *const outcome_json_text[OUTCOME_COUNT];

enum { OUTCOME_TEXT_MAX = 1024, OUTCOME_NEXT_MAX = 512 };

struct outcome {
    enum outcome_verdict verdict;
    char text[OUTCOME_TEXT_MAX];
    char next[OUTCOME_NEXT_MAX]; /* empty: nothing to do */
};

void outcome_set(struct outcome *o, enum outcome_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void outcome_next(struct outcome *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "not available: reason" */
void outcome_unknown(struct outcome *o, const char *reason);

#endif
