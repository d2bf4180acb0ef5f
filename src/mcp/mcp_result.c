#include "mcp/mcp_result.h"

#include "base/brief.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>

enum { LAST_BYTES = 600 }; /* of what a program printed */

static void put_text(struct json_writer *w, const char *text)
{
    json_begin_object(w);
    json_field_string(w, "type", "text");
    json_field_string(w, "text", text);
    json_end(w);
}

void mcp_result_put_error(struct json_writer *w, const char *text)
{
    json_key(w, "content");
    json_begin_array(w);
    put_text(w, text);
    json_end(w);
    json_key(w, "isError");
    json_bool(w, true);
}

/* JSON without the white space between its words: the message is one line. */
static void add_compact(struct strbuf *out, const char *json, size_t len)
{
    bool text = false;
    for (size_t i = 0; i < len; i++) {
        if (text && json[i] == '\\' && i + 1 < len)
            strbuf_putc(out, json[i++]);
        else if (json[i] == '"')
            text = !text;
        if (text || !isspace((unsigned char)json[i]))
            strbuf_putc(out, json[i]);
    }
}

/* One object, whole: what a program that was ended has begun is none. */
static bool is_object(const char *json, size_t len)
{
    struct arena memory;
    struct err err = ERR_INIT;
    const struct json *root;
    arena_init(&memory);
    bool good =
        !json_read(&root, &memory, json, len, &err) && root->kind == JSON_KIND_OBJECT;
    arena_release(&memory);
    return good;
}

static void put_object(struct json_writer *w, const struct mcp_call *call,
                       const char *json, const char *beside)
{
    json_key(w, "content");
    json_begin_array(w);
    put_text(w, json);
    if (*beside)
        put_text(w, beside);
    json_end(w);
    if (call->version->structured) {
        json_key(w, "structuredContent");
        json_raw(w, json);
    }
    json_key(w, "isError");
    json_bool(w, false);
}

/* The end of a text, from a line's begin where there is one. */
static const char *last_of(const char *text)
{
    size_t len = strlen(text);
    const char *last = len > LAST_BYTES ? text + len - LAST_BYTES : text;
    const char *line = last > text ? strchr(last, '\n') : NULL;
    return line && line[1] ? line + 1 : last;
}

/* --- what went wrong --- */

static void put_failure(struct json_writer *w, const struct mcp_call *call,
                        const struct mcp_outcome *o)
{
    struct strbuf text;
    strbuf_init(&text);
    if (o->timed_out)
        strbuf_printf(&text,
                      "%s was ended after %.0f s; give timeout_s, or ask for less.\n",
                      call->tool->name, o->seconds);
    else if (o->too_much)
        strbuf_printf(&text,
                      "%s printed more than is taken; leave full out, or run `gait %s "
                      "--json` and read what you need of it.\n",
                      call->tool->name, call->tool->name);
    else if (call->tool->prints_own)
        strbuf_printf(
            &text, "the program ended with exit code %d; %s. What it printed last:\n%s\n",
            o->exit_code, o->saved ? "a run was saved" : "nothing was recorded",
            last_of(o->out));
    else
        strbuf_printf(&text, "%s ended with exit code %d and without a result.\n",
                      call->tool->name, o->exit_code);
    strbuf_puts(&text, last_of(o->err));
    mcp_result_put_error(w, text.s);
    strbuf_release(&text);
}

/* --- what went well --- */

static void put_recording(struct json_writer *w, const struct mcp_call *call,
                          const struct mcp_outcome *o)
{
    struct strbuf json, run;
    struct brief b;
    strbuf_init(&json);
    strbuf_init(&run);
    path_add_shell_word(&run, call->line.output, "RUN");
    brief_begin(&b, &json, "record");
    json_field_int(&b.w, "exit_code", o->exit_code);
    brief_text(&b, "run", call->line.output, BRIEF_PLACE_BYTES);
    brief_number(&b, "seconds", o->seconds);
    brief_next(&b, "gait analyze --brief {}", run.s, "RUN");
    brief_text(&b, "printed_last", last_of(o->out), BRIEF_CODE_BYTES);
    brief_end(&b);
    json.s[--json.len] = '\0'; /* its end of line */
    put_object(w, call, json.s, "");
    strbuf_release(&run);
    strbuf_release(&json);
}

static void put_json(struct json_writer *w, const struct mcp_call *call,
                     const struct mcp_outcome *o)
{
    struct strbuf json, beside;
    strbuf_init(&json);
    strbuf_init(&beside);
    add_compact(&json, o->out, o->out_len);
    if (*o->err) /* a part was not answered: a file that could not be read */
        strbuf_printf(&beside, "exit code %d; %s", o->exit_code, last_of(o->err));
    put_object(w, call, json.s, beside.s);
    strbuf_release(&beside);
    strbuf_release(&json);
}

void mcp_result_put(struct json_writer *w, const struct mcp_call *call,
                    const struct mcp_outcome *o)
{
    bool ended = o->timed_out || o->too_much;
    if (!ended && call->tool->prints_own && !o->exit_code && o->saved)
        put_recording(w, call, o);
    else if (!ended && !call->tool->prints_own && is_object(o->out, o->out_len))
        put_json(w, call, o);
    else
        put_failure(w, call, o);
}
