/*
 * One pass over the text with a stack of open containers instead of recursion. Members
 * are linked in the order of the text; when an object closes, its keys are sorted and
 * neighbours compared, so that duplicates cost n log n whatever the keys are (a hash
 * would give an attacker n²).
 */
#include "base/json_read.h"

#include "base/json_read_text.h"
#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node with what only the reader needs; the json comes first, so that one pointer is
 * both. */
struct node {
    struct json json;
    size_t key_at; /* offset of the key's opening quote */
};

struct level {
    struct node *owner;      /* the open array or object */
    const struct json **end; /* where the next child is linked */
};

struct reader {
    struct json_text in;
    struct level level[JSON_READ_DEPTH_MAX];
    int depth;
    const struct json *root;
    const struct json **end; /* where the next value is linked */
    const char *key;         /* of the next value, NULL in arrays */
    size_t key_len, key_at;
};

static struct node *node_link(struct reader *r, enum json_kind kind)
{
    struct node *node = arena_alloc(r->in.arena, sizeof *node);
    *node = (struct node){
        .json = {.kind = kind, .key = r->key, .key_len = r->key_len},
        .key_at = r->key_at,
    };
    *r->end = &node->json;
    r->end = &node->json.next;
    r->key = NULL;
    r->key_len = 0;
    if (r->depth)
        r->level[r->depth - 1].owner->json.n++;
    return node;
}

/* For sorting: the members where they are. */
struct member {
    const struct node *node;
};

/* The lengths first: most keys differ there already. Equal keys in the text's order. */
static int node_key_compare(const void *a, const void *b)
{
    const struct node *x = ((const struct member *)a)->node;
    const struct node *y = ((const struct member *)b)->node;
    if (x->json.key_len != y->json.key_len)
        return x->json.key_len < y->json.key_len ? -1 : 1;
    int order = memcmp(x->json.key, y->json.key, x->json.key_len);
    return order ? order : (x->key_at > y->key_at) - (x->key_at < y->key_at);
}

static enum status object_check_keys(const struct reader *r, const struct json *object)
{
    if (object->n < 2)
        return STATUS_OK;
    struct member *sorted = mem_zalloc(object->n, sizeof *sorted);
    size_t n = 0;
    for (const struct json *j = object->child; j; j = j->next)
        sorted[n++].node = (const struct node *)j;
    qsort(sorted, n, sizeof *sorted, node_key_compare);
    enum status st = STATUS_OK;
    for (size_t i = 1; i < n && !st; i++) {
        const struct json *a = &sorted[i - 1].node->json, *b = &sorted[i].node->json;
        if (a->key_len == b->key_len && !memcmp(a->key, b->key, a->key_len))
            st = json_text_err(&r->in, sorted[i].node->key_at,
                               "the key \"%.60s\" stands twice in one object", b->key);
    }
    mem_free(sorted);
    return st;
}

static enum status reader_open(struct reader *r, enum json_kind kind)
{
    if (r->depth == JSON_READ_DEPTH_MAX)
        return json_text_err(&r->in, r->in.at, "values are nested deeper than %d",
                             JSON_READ_DEPTH_MAX);
    struct node *node = node_link(r, kind);
    r->level[r->depth++] = (struct level){.owner = node, .end = r->end};
    r->end = &node->json.child;
    r->in.at++;
    return STATUS_OK;
}

static enum status reader_close(struct reader *r)
{
    struct level *top = &r->level[--r->depth];
    r->end = top->end;
    r->in.at++;
    if (top->owner->json.kind == JSON_KIND_OBJECT)
        return object_check_keys(r, &top->owner->json);
    return STATUS_OK;
}

static enum status reader_key(struct reader *r)
{
    if (json_text_peek(&r->in) != '"')
        return json_text_err(&r->in, r->in.at,
                             "a key in double quotes is missing: %s stands there",
                             json_text_here(&r->in).s);
    r->key_at = r->in.at;
    enum status st = json_text_string(&r->in, &r->key, &r->key_len);
    if (st)
        return st;
    if (json_text_peek(&r->in) != ':')
        return json_text_err(&r->in, r->in.at,
                             "a colon is missing behind a key: %s stands there",
                             json_text_here(&r->in).s);
    r->in.at++;
    return STATUS_OK;
}

static enum status reader_scalar(struct reader *r, int c)
{
    size_t at = r->in.at;
    if (c == '"') {
        struct json *j = &node_link(r, JSON_KIND_STRING)->json;
        return json_text_string(&r->in, &j->text, &j->len);
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        struct json *j = &node_link(r, JSON_KIND_NUMBER)->json;
        return json_text_number(&r->in, &j->text, &j->len);
    }
    if (json_text_word(&r->in, "true") || json_text_word(&r->in, "false")) {
        node_link(r, JSON_KIND_BOOL)->json.truth = c == 't';
        return STATUS_OK;
    }
    if (json_text_word(&r->in, "null")) {
        node_link(r, JSON_KIND_NULL);
        return STATUS_OK;
    }
    return json_text_err(&r->in, at, "a value is missing: %s stands there",
                         json_text_here(&r->in).s);
}

static bool reader_in_object(const struct reader *r)
{
    return r->depth && r->level[r->depth - 1].owner->json.kind == JSON_KIND_OBJECT;
}

/* One value, or the beginning of one that holds others; *opened says which. */
static enum status reader_value(struct reader *r, bool *opened)
{
    int c = json_text_peek(&r->in);
    *opened = c == '{' || c == '[';
    if (!*opened)
        return reader_scalar(r, c);
    return reader_open(r, c == '{' ? JSON_KIND_OBJECT : JSON_KIND_ARRAY);
}

/* Behind a value, or behind an opening bracket (which an immediate closing one may
 * follow): close what ends here, and pass the comma before the next value. */
static enum status reader_between(struct reader *r, bool opened)
{
    enum status st = STATUS_OK;
    while (r->depth && !st) {
        char close = reader_in_object(r) ? '}' : ']';
        int c = json_text_peek(&r->in);
        if (c == close) {
            st = reader_close(r);
            opened = false;
            continue;
        }
        if (opened)
            return STATUS_OK;
        if (c != ',')
            return json_text_err(&r->in, r->in.at,
                                 "a comma or %c is missing: %s stands there", close,
                                 json_text_here(&r->in).s);
        r->in.at++;
        return STATUS_OK;
    }
    return st;
}

enum status json_read(const struct json **out, struct arena *a, const char *text,
                      size_t len, struct err *err)
{
    struct reader r = {.in = {.s = text, .len = len, .arena = a, .err = err}};
    r.end = &r.root;
    enum status st = STATUS_OK;
    do {
        bool opened;
        if (reader_in_object(&r))
            st = reader_key(&r);
        if (!st)
            st = reader_value(&r, &opened);
        if (!st)
            st = reader_between(&r, opened);
    } while (!st && r.depth);
    if (!st && json_text_peek(&r.in) != JSON_TEXT_END)
        st =
            json_text_err(&r.in, r.in.at, "there is more behind the end of the value: %s",
                          json_text_here(&r.in).s);
    if (!st)
        *out = r.root;
    return st;
}

const struct json *json_get(const struct json *j, const char *key)
{
    if (!j || j->kind != JSON_KIND_OBJECT)
        return NULL;
    size_t len = strlen(key);
    for (const struct json *m = j->child; m; m = m->next)
        if (m->key_len == len && !memcmp(m->key, key, len))
            return m;
    return NULL;
}

int64_t json_int_or(const struct json *j, int64_t otherwise)
{
    if (!j || j->kind != JSON_KIND_NUMBER || strpbrk(j->text, ".eE"))
        return otherwise;
    errno = 0;
    long long v = strtoll(j->text, NULL, 10);
    return errno ? otherwise : (int64_t)v;
}

double json_double_or(const struct json *j, double otherwise)
{
    if (!j || j->kind != JSON_KIND_NUMBER)
        return otherwise;
    double v = strtod(j->text, NULL);
    return isfinite(v) ? v : otherwise;
}

bool json_bool_or(const struct json *j, bool otherwise)
{
    return j && j->kind == JSON_KIND_BOOL ? j->truth : otherwise;
}

const char *json_string_or(const struct json *j, const char *otherwise)
{
    return j && j->kind == JSON_KIND_STRING ? j->text : otherwise;
}
