#include "base/junit.h"

#include "base/text_fit.h"

#include <limits.h>
#include <string.h>

static const char *const element_of[] = {NULL, "skipped", "failure", "error"};

void junit_init(struct junit *j)
{
    *j = (struct junit){.worst = JUNIT_PASSED};
    strbuf_init(&j->cases);
    strbuf_init(&j->printed);
}

/* --- text */

/* U+FFFE and U+FFFF, which are no characters of XML. */
static bool is_no_character(const char *s)
{
    return !memcmp(s, "\xef\xbf\xbe", 3) || !memcmp(s, "\xef\xbf\xbf", 3);
}

static size_t put_char(struct strbuf *out, const char *s)
{
    const char *entity = *s == '&'    ? "&amp;"
                         : *s == '<'  ? "&lt;"
                         : *s == '>'  ? "&gt;"
                         : *s == '"'  ? "&quot;"
                         : *s == '\'' ? "&apos;"
                                      : NULL;
    if (!strncmp(s, "\xef\xbf", 2) && is_no_character(s)) {
        strbuf_puts(out, "\xef\xbf\xbd");
        return 3;
    }
    if (entity)
        strbuf_puts(out, entity);
    else
        strbuf_putc(out, *s);
    return 1;
}

/* One line; what cannot stand in XML, or drives a terminal, becomes U+FFFD. */
static void put_line(struct strbuf *out, const char *s)
{
    struct arena a;
    arena_init(&a);
    for (const char *at = text_clean(&a, s, INT_MAX); *at;)
        at += put_char(out, at);
    arena_release(&a);
}

static void put_lines(struct strbuf *out, const char *s)
{
    struct strbuf line;
    strbuf_init(&line);
    for (const char *end; *s; s = *end ? end + 1 : end) {
        end = strchrnul(s, '\n');
        strbuf_clear(&line);
        strbuf_add(&line, s, (size_t)(end - s));
        put_line(out, line.s);
        if (*end)
            strbuf_putc(out, '\n');
    }
    strbuf_release(&line);
}

static void put_attribute(struct strbuf *out, const char *name, const char *value)
{
    strbuf_printf(out, " %s=\"", name);
    put_line(out, value);
    strbuf_putc(out, '"');
}

/* --- test cases */

void junit_begin_case(struct junit *j, const char *group, const char *name)
{
    j->worst = JUNIT_PASSED;
    strbuf_puts(&j->cases, "<testcase");
    put_attribute(&j->cases, "classname", group);
    put_attribute(&j->cases, "name", name);
    strbuf_puts(&j->cases, ">");
}

void junit_add(struct junit *j, enum junit_outcome outcome, const char *type,
               const char *message, const char *body)
{
    struct strbuf *out = &j->cases;
    strbuf_printf(out, "\n<%s", element_of[outcome]);
    put_attribute(out, "message", message);
    put_attribute(out, "type", type);
    strbuf_putc(out, '>');
    put_lines(out, body);
    strbuf_printf(out, "</%s>", element_of[outcome]);
    if (outcome > j->worst)
        j->worst = outcome;
}

void junit_print(struct junit *j, const char *lines)
{
    strbuf_puts(&j->printed, lines);
}

void junit_end_case(struct junit *j)
{
    struct strbuf *out = &j->cases;
    if (j->printed.len) {
        strbuf_puts(out, "\n<system-out>");
        put_lines(out, j->printed.s);
        strbuf_puts(out, "</system-out>");
    }
    strbuf_clear(&j->printed);
    strbuf_puts(out, "</testcase>\n");
    j->n[j->worst]++;
}

void junit_finish(struct junit *j, struct strbuf *out, const char *suite)
{
    const size_t *n = j->n;
    strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                     "<testsuite");
    put_attribute(out, "name", suite);
    strbuf_printf(out,
                  " tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"%zu\">\n",
                  n[JUNIT_PASSED] + n[JUNIT_SKIPPED] + n[JUNIT_FAILURE] + n[JUNIT_ERROR],
                  n[JUNIT_FAILURE], n[JUNIT_SKIPPED], n[JUNIT_ERROR]);
    strbuf_add(out, j->cases.s, j->cases.len);
    strbuf_puts(out, "</testsuite>\n</testsuites>\n");
    strbuf_release(&j->cases);
    strbuf_release(&j->printed);
}
