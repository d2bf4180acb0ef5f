/* The gates as test cases of a build server. Remarks hold names of the user's. */
#include "base/junit.h"
#include "verify/verify_files.h"

static void put_gate(struct junit *j, const struct gate_result *g)
{
    struct strbuf body;
    strbuf_init(&body);
    if (*g->before || *g->after)
        strbuf_printf(&body, "before %s, after %s\n", g->before, g->after);
    strbuf_printf(&body, "%s\n", g->remark);
    junit_begin_case(j, "gait.verify", g->name);
    switch (g->verdict) {
    case VERDICT_PASS:
        junit_print(j, body.s);
        break;
    case VERDICT_FAIL:
    case VERDICT_UNSURE:
        junit_add(j, JUNIT_FAILURE, g->code, g->remark, body.s);
        break;
    case VERDICT_NOT_APPLICABLE:
        junit_add(j, JUNIT_SKIPPED, g->code, g->remark, "");
        break;
    }
    junit_end_case(j);
    strbuf_release(&body);
}

/* What no gate says, and what nothing is proved without: exit code 3. */
static void put_error(struct junit *j, const struct verify_result *r, size_t unread)
{
    struct err why = ERR_INIT;
    if (unread)
        err_set(&why, STATUS_INPUT,
                "%zu file%s could not be read; the gates are of the others", unread,
                unread == 1 ? "" : "s");
    else if (verify_status(r, &why) != STATUS_INPUT)
        return;
    junit_begin_case(j, "gait.verify", "comparison");
    junit_add(j, JUNIT_ERROR, unread ? "files_unread" : "nothing_compared", why.text,
              why.text);
    junit_end_case(j);
}

void verify_print_junit(struct strbuf *out, const struct verify_result *r,
                        const struct verify_shown *shown)
{
    struct junit j;
    junit_init(&j);
    for (size_t i = 0; i < r->n; i++)
        put_gate(&j, &r->gate[i]);
    put_error(&j, r, shown->unread);
    junit_finish(&j, out, "gait verify");
}
