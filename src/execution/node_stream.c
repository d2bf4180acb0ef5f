#include "execution/node_stream.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { WINDOW_BYTES = 1 << 16, END = -1 };

/* --- bytes --- */

static int peek(struct node_stream *s)
{
    if (s->at == s->end) {
        s->offset += (int64_t)s->end;
        s->at = 0;
        s->end = byte_source_read(s->source, s->window, WINDOW_BYTES);
        if (!s->end)
            return END;
    }
    return (unsigned char)s->window[s->at];
}

static int peek_word(struct node_stream *s)
{
    int c = peek(s);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        s->at++;
        c = peek(s);
    }
    return c;
}

static bool pass(struct node_stream *s, char expected)
{
    if (peek_word(s) != expected)
        return false;
    s->at++;
    return true;
}

static void keep(struct node_stream *s, int c)
{
    vec_grow(s->text, s->cap, s->len + 1);
    s->text[s->len++] = (char)c;
}

/* --- errors --- */

static enum status broken(struct node_stream *s, struct err *err)
{
    int64_t at = s->offset + (int64_t)s->at;
    if (byte_source_end(s->source) == BYTE_END_READ_FAILED)
        return err_set(err, STATUS_ENVIRONMENT, "it cannot be read: %s",
                       strerror(byte_source_errno(s->source)));
    if (byte_source_end(s->source) == BYTE_END_UNPACK_CORRUPT ||
        byte_source_end(s->source) == BYTE_END_UNPACK_GROWS)
        return err_set_at(err, STATUS_INPUT, at,
                          "its compressed data is damaged behind byte %lld of its text; "
                          "copy it again",
                          (long long)at);
    if (peek(s) == END)
        return err_set_at(err, STATUS_INPUT, at,
                          "it is cut short at byte %lld of its text; the job must leave "
                          "the profiler's block, or call unregister_callback(), before "
                          "it ends",
                          (long long)at);
    return err_set_at(err, STATUS_INPUT, at,
                      "it is malformed at byte %lld ('%c'); did two observers write to "
                      "the file?",
                      (long long)at, peek(s) >= ' ' && peek(s) < 127 ? peek(s) : '?');
}

static enum status too_long(const struct node_stream *s, struct err *err)
{
    return err_set_at(err, STATUS_INPUT, s->begin,
                      "the node that begins at byte %lld of its text is longer than %zu "
                      "MB, where others take some kB; is it an execution trace?",
                      (long long)s->begin, NODE_TEXT_MAX >> 20);
}

static enum status not_one(struct err *err, const char *what)
{
    return err_set(err, STATUS_INPUT,
                   "%s; --graph takes what torch.profiler.ExecutionTraceObserver wrote "
                   "(docs/analyze.md)",
                   what);
}

/* --- values --- */

static enum status take_string(struct node_stream *s, struct err *err)
{
    bool escaped = false;
    keep(s, '"');
    s->at++;
    for (;;) {
        int c = peek(s);
        if (c == END)
            return broken(s, err);
        if (s->len > NODE_TEXT_MAX)
            return too_long(s, err);
        keep(s, c);
        s->at++;
        if (c == '"' && !escaped)
            return STATUS_OK;
        escaped = c == '\\' && !escaped;
    }
}

/* A value into s->text. Brackets are only counted here: who reads the node checks it. */
static enum status take_value(struct node_stream *s, struct err *err)
{
    size_t depth = 0;
    s->len = 0;
    for (;;) {
        int c = s->len ? peek(s) : peek_word(s);
        if (c == END)
            return broken(s, err);
        if (s->len > NODE_TEXT_MAX)
            return too_long(s, err);
        if (!depth && s->len && strchr(",}] \t\r\n", c))
            return STATUS_OK; /* behind a number or a word */
        if (c == '"') {
            enum status st = take_string(s, err);
            if (st)
                return st;
        } else {
            depth += c == '{' || c == '[';
            if ((c == '}' || c == ']') && !depth--)
                return broken(s, err);
            keep(s, c);
            s->at++;
        }
        if (!depth && (c == '"' || c == '}' || c == ']'))
            return STATUS_OK;
    }
}

/* --- the head --- */

static bool text_is(const struct node_stream *s, const char *text)
{
    return s->len == strlen(text) && !memcmp(s->text, text, s->len);
}

static enum status check_schema(const struct node_stream *s, struct err *err)
{
    enum { SHOWN = 32 };
    static const char begins[] = "\"1.1.";
    if (s->len > strlen(begins) && !memcmp(s->text, begins, strlen(begins)))
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "its schema is %.*s, and 1.1 is what can be read; record it with a "
                   "newer PyTorch",
                   (int)(s->len < SHOWN ? s->len : SHOWN), s->text);
}

/* A member that stands before the nodes. */
static enum status pass_member(struct node_stream *s, bool *at_nodes, bool *has_schema,
                               struct err *err)
{
    if (peek_word(s) != '"')
        return broken(s, err);
    enum status st = take_value(s, err);
    if (st)
        return st;
    bool nodes = text_is(s, "\"nodes\""), schema = text_is(s, "\"schema\"");
    if (text_is(s, "\"traceEvents\"") || text_is(s, "\"schemaVersion\"") ||
        text_is(s, "\"deviceProperties\""))
        return not_one(err, "this is a profiler trace, not an execution trace");
    if (!pass(s, ':'))
        return broken(s, err);
    if (nodes && pass(s, '[')) {
        *at_nodes = true;
        return *has_schema ? STATUS_OK : not_one(err, "it does not name its schema");
    }
    st = take_value(s, err);
    if (!st && schema) {
        *has_schema = true;
        st = check_schema(s, err);
    }
    return st;
}

enum status node_stream_init(struct node_stream *s, struct byte_source *source,
                             struct err *err)
{
    bool at_nodes = false, has_schema = false;
    *s = (struct node_stream){
        .source = source, .window = mem_alloc(WINDOW_BYTES), .first = true};
    if (peek_word(s) == END && byte_source_end(source) == BYTE_END_GOOD)
        return not_one(err, "it is empty");
    if (!pass(s, '{'))
        return not_one(err, "this is not an execution trace");
    while (!at_nodes) {
        enum status st = pass_member(s, &at_nodes, &has_schema, err);
        if (st)
            return st;
        if (!at_nodes && !pass(s, ','))
            return peek_word(s) == '}' ? not_one(err, "it has no nodes") : broken(s, err);
    }
    return STATUS_OK;
}

void node_stream_release(struct node_stream *s)
{
    mem_free(s->window);
    mem_free(s->text);
}

enum status node_stream_next(struct node_stream *s, struct err *err)
{
    s->len = 0;
    if (peek_word(s) == ']')
        return STATUS_OK;
    if (!s->first && !pass(s, ','))
        return broken(s, err);
    s->first = false;
    if (peek_word(s) != '{')
        return broken(s, err);
    s->begin = s->offset + (int64_t)s->at;
    return take_value(s, err);
}
