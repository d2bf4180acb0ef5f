#include "traps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void corpus_each(case_fn *use, void *context)
{
    static const struct {
        const char *name;
        void (*make)(struct corpus *c);
    } traps[] = {
#define TRAP_ROW(name) {#name, name},
        TRAP_LIST(TRAP_ROW)};
    struct corpus c = {.use = use, .context = context};
    strbuf_init(&c.text);
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        c.trap = traps[i].name;
        traps[i].make(&c);
    }
    strbuf_release(&c.text);
}

void corpus_open(struct corpus *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->variant, sizeof c->variant, fmt, args);
    va_end(args);
    strbuf_clear(&c->text);
    c->first = true;
    c->clock_us = 1000;
    c->now = (struct bad_case){
        .trap = c->trap, .variant = c->variant, .known_fault = c->known_fault};
    c->known_fault = NULL;
}

void corpus_close(struct corpus *c)
{
    c->now.data = c->text.s;
    c->now.len = c->text.len;
    c->use(c->context, &c->now);
}

/* --- text --- */

void put(struct corpus *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    strbuf_vprintf(&c->text, fmt, args);
    va_end(args);
}

void put_raw(struct corpus *c, const char *s, size_t len)
{
    strbuf_add(&c->text, s, len);
}

void put_times(struct corpus *c, const char *s, int times)
{
    strbuf_repeat(&c->text, s, times);
}

void put_head(struct corpus *c)
{
    put(c, "{\"schemaVersion\": 1, \"traceEvents\": [\n");
}

void put_foot(struct corpus *c)
{
    put(c, "\n], \"traceName\": \"t.json\"}\n");
}

void put_comma(struct corpus *c)
{
    if (!c->first)
        put(c, ",\n");
    c->first = false;
}

void put_element(struct corpus *c, const char *s)
{
    put_comma(c);
    put_raw(c, s, strlen(s));
}

static void put_good(struct corpus *c, const char *name, int n)
{
    for (int i = 0; i < n; i++) {
        put_comma(c);
        put(c,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 9, \"tid\": "
            "10, \"ts\": %lld, \"dur\": 5, \"args\": {\"External id\": %d}}",
            name, (long long)c->clock_us, i);
        c->clock_us += 10;
    }
}

void put_before(struct corpus *c, int n)
{
    put_good(c, GOOD_BEFORE, n);
    c->now.before += n;
    c->now.before_min += n;
}

void put_after(struct corpus *c, int n)
{
    put_good(c, GOOD_AFTER, n);
    c->now.after += n;
    c->now.after_min += n;
}

/* --- expectations --- */

void expect_refusal(struct corpus *c)
{
    c->now.status = STATUS_INPUT;
}

void expect_either(struct corpus *c)
{
    c->now.either = true;
    c->now.before_min = c->now.after_min = 0;
}

void expect_before_only(struct corpus *c)
{
    c->now.after_min = 0;
}

void known_fault(struct corpus *c, const char *why)
{
    c->known_fault = why;
}

/* --- whole cases --- */

void damaged_element(struct corpus *c, const char *variant, const char *element)
{
    corpus_open(c, "%s", variant);
    put_head(c);
    put_before(c, AROUND);
    put_element(c, element);
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void damaged_gap(struct corpus *c, const char *variant, const char *text)
{
    corpus_open(c, "%s", variant);
    put_head(c);
    put_before(c, AROUND);
    put_raw(c, text, strlen(text));
    c->first = true;
    put_after(c, AROUND);
    put_foot(c);
    corpus_close(c);
}

void good_document(struct corpus *c, int events)
{
    put_head(c);
    put_before(c, events);
    put_foot(c);
}
