#include "mcp/mcp_session.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <string.h>

/* A client and a host in one: what was sent, which calls run. */
struct talk {
    struct mcp_session *session;
    struct strbuf sent;
    struct mcp_call *running[MCP_CALLS_MAX];
    size_t n_running, stopped;
    bool refuses;
};

static void keep(void *context, const char *line, size_t len)
{
    struct talk *t = context;
    assert_int_equal(line[len - 1], '\n');
    assert_null(memchr(line, '\n', len - 1));
    strbuf_add(&t->sent, line, len);
}

static enum status start(void *context, struct mcp_call *call, struct err *err)
{
    struct talk *t = context;
    if (t->refuses)
        return err_set(err, STATUS_ENVIRONMENT, "cannot start it");
    t->running[t->n_running++] = call;
    return STATUS_OK;
}

static void stop(void *context, struct mcp_call *call)
{
    struct talk *t = context;
    (void)call;
    t->stopped++;
}

static void talk_begin(struct talk *t, bool read_only)
{
    *t = (struct talk){0};
    strbuf_init(&t->sent);
    const struct mcp_host host = {t, keep, start, stop};
    t->session = mcp_session_new(&host, "0.0", read_only);
}

static void talk_end(struct talk *t)
{
    mcp_session_free(t->session);
    strbuf_release(&t->sent);
}

/* What comes back at once. */
static const char *say(struct talk *t, const char *line)
{
    strbuf_clear(&t->sent);
    mcp_session_line(t->session, line, strlen(line));
    return t->sent.s;
}

static const char *greet(struct talk *t, const char *version)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
             "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{}}}",
             version);
    return say(t, line);
}

#define REQUEST(id, method, params)                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define CALL(id)                                                                         \
    REQUEST(id, "tools/call", "{\"name\":\"analyze\",\"arguments\":{\"runs\":[\"a\"]}}")
#define STATELESS                                                                        \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","             \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in %s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("%s in %s", part, text);
}

static void a_handshake_settles_the_version(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *given;
    } cases[] = {{"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
                 {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
                 {"1999-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct talk t;
        char given[64];
        talk_begin(&t, false);
        snprintf(given, sizeof given, "\"protocolVersion\":\"%s\"", cases[i].given);
        assert_has(greet(&t, cases[i].asked), given);
        assert_has(greet(&t, cases[i].asked), "-32600"); /* once alone */
        talk_end(&t);
    }
}

static void what_is_new_in_a_version_is_not_told_to_older_clients(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bool annotations, structured;
    } cases[] = {{"2024-11-05", false, false},
                 {"2025-03-26", true, false},
                 {"2025-06-18", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct talk t;
        talk_begin(&t, false);
        greet(&t, cases[i].version);
        const char *list = say(&t, REQUEST("1", "tools/list", "{}"));
        assert_int_equal(strstr(list, "readOnlyHint") != NULL, cases[i].annotations);
        assert_int_equal(strstr(list, "outputSchema") != NULL, cases[i].structured);
        say(&t, CALL("2"));
        mcp_session_ended(t.session, t.running[0],
                          &(struct mcp_outcome){.out = "{}", .out_len = 2, .err = ""});
        assert_int_equal(strstr(t.sent.s, "structuredContent") != NULL,
                         cases[i].structured);
        assert_has(t.sent.s, "\"isError\":false");
        talk_end(&t);
    }
}

static void requests_of_the_stateless_version_need_no_handshake(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, false);
    const char *answer = say(&t, REQUEST("1", "server/discover", "{" STATELESS "}"));
    assert_has(answer, "\"supportedVersions\":[\"2024-11-05\"");
    assert_has(answer, "\"resultType\":\"complete\"");
    answer = say(&t, REQUEST("2", "tools/list", "{" STATELESS "}"));
    assert_has(answer, "\"ttlMs\":");
    assert_has(answer, "\"resultType\":\"complete\"");
    assert_has(say(&t, REQUEST("3", "tools/list", "{}")), "initialize comes first");
    assert_has(say(&t, REQUEST("4", "server/discover", "{}")), "-32601");
    assert_has(say(&t, REQUEST("5", "tools/list",
                               "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                               "\"2099-01-01\",\"io.modelcontextprotocol/"
                               "clientCapabilities\":{}}}")),
               "\"code\":-32022,\"message\":\"this version of the protocol is not spoken "
               "so\",\"data\":{\"supported\":[");
    assert_has(say(&t, REQUEST("6", "tools/list",
                               "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                               "\"2026-07-28\"}}")),
               "-32602");
    talk_end(&t);
}

static void errors_have_the_codes_of_json_rpc(void **state)
{
    (void)state;
    static const struct {
        const char *line, *answer;
    } cases[] = {
        {"", "-32700"},
        {"{", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"id\":2}", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "-32700"},
        {"1", "\"id\":null,\"error\":{\"code\":-32600"},
        {"{}", "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
         "\"id\":1,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", "-32600"},
        {REQUEST("1", "no/such", "{}"), "-32601"},
        {REQUEST("1", "notifications/cancelled", "{}"), "-32601"},
        {REQUEST("1", "tools/call", "{}"), "-32602"},
        {REQUEST("1", "tools/call", "{\"name\":\"analyze\",\"arguments\":[]}"), "-32602"},
        {REQUEST("1", "tools/call", "{\"name\":\"lin\"}"), "did you mean lint"},
        {REQUEST("1", "tools/list", "{\"cursor\":\"x\"}"), "-32602"},
        {REQUEST("1", "tools/call", "{\"name\":\"analyze\"}"), "\"isError\":true"},
        {"[]", "-32600"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct talk t;
        talk_begin(&t, false);
        greet(&t, "2025-06-18");
        assert_has(say(&t, cases[i].line), cases[i].answer);
        assert_has(say(&t, REQUEST("2", "ping", "{}")), "\"id\":2,\"result\":{}");
        talk_end(&t);
    }
}

static void notifications_and_answers_are_not_answered(void **state)
{
    (void)state;
    static const char cancelled[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":9}}";
    const char *const lines[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}",
        cancelled,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\"}}",
    };
    struct talk t;
    talk_begin(&t, false);
    greet(&t, "2025-06-18");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_string_equal(say(&t, lines[i]), "");
    talk_end(&t);
}

static void ids_come_back_as_they_came(void **state)
{
    (void)state;
    static const char *const ids[] = {"0",   "-7",   "12345678901234567890",
                                      "1.5", "\"\"", "\"a \\\"b\\\" \\n é\""};
    struct talk t;
    talk_begin(&t, false);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char line[128], answer[128];
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}",
                 ids[i]);
        snprintf(answer, sizeof answer, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n",
                 ids[i]);
        assert_string_equal(say(&t, line), answer);
    }
    talk_end(&t);
}

static void a_call_becomes_a_command_line(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, false);
    greet(&t, "2025-06-18");
    assert_string_equal(
        say(&t,
            REQUEST("1", "tools/call",
                    "{\"name\":\"explain\",\"arguments\":{\"runs\":[\"-a b\",\"--help\"],"
                    "\"finding\":3,\"graph\":\"-g\",\"full\":true,\"folder\":\"/x\","
                    "\"timeout_s\":7.5}}")),
        "");
    static const char *const words[] = {"explain", "--quiet", "--json", "--graph=-g",
                                        "--",      "3",       "-a b",   "--help"};
    const struct mcp_line *l = &t.running[0]->line;
    assert_int_equal(l->n, sizeof words / sizeof *words);
    for (size_t i = 0; i < l->n; i++)
        assert_string_equal(l->word[i], words[i]);
    assert_string_equal(l->folder, "/x");
    assert_true(l->timeout_s == 7.5);
    talk_end(&t);
}

static void calls_that_wait_are_bounded_and_can_be_cancelled(void **state)
{
    (void)state;
    struct talk t;
    char line[256];
    talk_begin(&t, false);
    greet(&t, "2025-06-18");
    for (int i = 0; i < MCP_CALLS_MAX; i++) {
        snprintf(line, sizeof line, CALL("%d"), i);
        assert_string_equal(say(&t, line), "");
    }
    assert_has(say(&t, CALL("3")), "-32600"); /* an id that is in use */
    assert_has(say(&t, CALL("99")), "wait for one of them");
    assert_string_equal(say(&t,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                            "\"params\":{\"requestId\":3}}"),
                        "");
    assert_int_equal(t.stopped, 1);
    t.n_running = 0;
    assert_string_equal(say(&t, CALL("100")), "");
    mcp_session_ended(
        t.session, t.running[0],
        &(struct mcp_outcome){.out = "", .err = "gait: why\n", .exit_code = 3});
    assert_has(t.sent.s,
               "\"id\":100,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
               "\"analyze ended with exit code 3 and without a result.\\ngait: why");
    talk_end(&t);
}

static void a_batch_is_answered_when_all_of_it_is(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, false);
    greet(&t, "2025-03-26");
    assert_string_equal(say(&t, "[" REQUEST("1", "ping", "{}") "," CALL("2") ",7]"), "");
    mcp_session_ended(
        t.session, t.running[0],
        &(struct mcp_outcome){.out = "{\"a\": [1, 2]}", .out_len = 13, .err = ""});
    assert_int_equal(t.sent.s[0], '[');
    assert_has(t.sent.s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},");
    assert_has(t.sent.s, "-32600");
    assert_has(t.sent.s, "\"text\":\"{\\\"a\\\":[1,2]}\"");
    assert_string_equal(say(&t, "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"), "");
    assert_string_equal(say(&t, "[" CALL("5") "]"), ""); /* and is forgotten with it */
    talk_end(&t);
}

static void progress_is_told_once_a_second_to_who_asked(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, false);
    greet(&t, "2025-06-18");
    say(&t, CALL("1"));
    say(&t, REQUEST("2", "tools/call",
                    "{\"_meta\":{\"progressToken\":\"p\"},\"name\":\"analyze\","
                    "\"arguments\":{\"runs\":[\"a\"]}}"));
    strbuf_clear(&t.sent);
    mcp_session_progress(t.session, t.running[0], 5);
    mcp_session_progress(t.session, t.running[1], 0.9);
    assert_string_equal(t.sent.s, "");
    mcp_session_progress(t.session, t.running[1], 1.2);
    assert_has(t.sent.s, "\"progressToken\":\"p\",\"progress\":1,");
    strbuf_clear(&t.sent);
    mcp_session_progress(t.session, t.running[1], 1.9);
    assert_string_equal(t.sent.s, "");
    talk_end(&t);
}

static void who_only_reads_starts_no_programs(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, true);
    greet(&t, "2025-06-18");
    const char *list = say(&t, REQUEST("1", "tools/list", "{}"));
    assert_has_not(list, "\"record\"");
    assert_has_not(list, "\"ab\"");
    assert_has_not(list, "\"readOnlyHint\":false");
    assert_has(say(&t, REQUEST("2", "tools/call",
                               "{\"name\":\"record\",\"arguments\":{\"command\":[\"x\"],"
                               "\"output\":\"y\"}}")),
               "--read-only");
    assert_has(say(&t, REQUEST("3", "tools/call",
                               "{\"name\":\"verify\",\"arguments\":{\"before\":\"x\","
                               "\"after\":\"y\",\"ab\":true}}")),
               "--read-only");
    assert_int_equal(t.n_running, 0);
    talk_end(&t);
}

static void a_call_that_does_not_start_is_a_result(void **state)
{
    (void)state;
    struct talk t;
    talk_begin(&t, false);
    t.refuses = true;
    greet(&t, "2025-06-18");
    const char *answer = say(&t, CALL("1"));
    assert_has(answer, "cannot start it");
    assert_has(answer, "\"isError\":true");
    talk_end(&t);
}

static void a_result_that_is_not_whole_json_is_a_failure(void **state)
{
    (void)state;
    static const char *const outputs[] = {"", "{\"format\":", "[]", "1", "{} {}"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        struct talk t;
        talk_begin(&t, false);
        greet(&t, "2025-06-18");
        say(&t, CALL("1"));
        mcp_session_ended(t.session, t.running[0],
                          &(struct mcp_outcome){.out = outputs[i],
                                                .out_len = strlen(outputs[i]),
                                                .err = ""});
        assert_has(t.sent.s, "\"isError\":true");
        talk_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handshake_settles_the_version),
        cmocka_unit_test(what_is_new_in_a_version_is_not_told_to_older_clients),
        cmocka_unit_test(requests_of_the_stateless_version_need_no_handshake),
        cmocka_unit_test(errors_have_the_codes_of_json_rpc),
        cmocka_unit_test(notifications_and_answers_are_not_answered),
        cmocka_unit_test(ids_come_back_as_they_came),
        cmocka_unit_test(a_call_becomes_a_command_line),
        cmocka_unit_test(calls_that_wait_are_bounded_and_can_be_cancelled),
        cmocka_unit_test(a_batch_is_answered_when_all_of_it_is),
        cmocka_unit_test(progress_is_told_once_a_second_to_who_asked),
        cmocka_unit_test(who_only_reads_starts_no_programs),
        cmocka_unit_test(a_call_that_does_not_start_is_a_result),
        cmocka_unit_test(a_result_that_is_not_whole_json_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
