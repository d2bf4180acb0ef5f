/*
 * tree-sitter's TOML grammar gives
 *
 *   document: pair… (table | table_array_element)…
 *   table: key, pair…          pair: key, value
 *   key: bare_key | quoted_key | dotted_key: key "." key
 *
 * Children are walked with a cursor: asked for by number, each would be counted out anew.
 */
#include "source/toml_read.h"

#include "base/json_writer.h"
#include "base/mem.h"

#include <string.h>

bool toml_is_under(const struct toml_entry *e, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i >= e->n_keys || strcmp(e->key[i], keys[i]))
            return false;
    return true;
}

const char *toml_kind_name(enum toml_kind kind)
{
    switch (kind) {
    case TOML_TABLE:
        return "a table";
    case TOML_STRING:
        return "a string";
    case TOML_BOOL:
        return "true or false";
    case TOML_INTEGER:
        return "a number";
    case TOML_LIST:
        return "a list";
    case TOML_OTHER:
        break;
    }
    return "a value of another kind";
}

void toml_release(struct toml *t)
{
    mem_free(t->entry);
    arena_release(&t->memory);
}

#ifdef GAIT_TREE_SITTER
#include "source/toml_string.h"
#include "source/tree_memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <tree_sitter/api.h>

/* The grammar's only entry; its distribution has no header for it. */
const TSLanguage *tree_sitter_toml(void);

enum { TOML_PARSE_MICROS_MAX = 10 * 1000 * 1000 }; /* hostile input ends too */

struct toml_reader {
    struct toml *toml;
    const char *text;
    const char *name;
    struct err *err;
    const char *key[TOML_KEYS_MAX]; /* where the reader is */
    size_t n_keys;
    bool in_table_list;
};

static enum status wrong(const struct toml_reader *r, int32_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static enum status wrong(const struct toml_reader *r, int32_t line, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return err_set(r->err, STATUS_USAGE, "%s:%d: %s", r->name, line, text);
}

static int32_t line_of(TSNode n)
{
    return (int32_t)ts_node_start_point(n).row + 1;
}

static bool is_type(TSNode n, const char *type)
{
    return !strcmp(ts_node_type(n), type);
}

static enum status take_string(struct toml_reader *r, const char **out, TSNode n)
{
    const char *problem;
    uint32_t begin = ts_node_start_byte(n);
    *out = toml_string(&r->toml->memory, r->text + begin, ts_node_end_byte(n) - begin,
                       &problem);
    return *out ? STATUS_OK : wrong(r, line_of(n), "%s", problem);
}

static enum status add_key(struct toml_reader *r, TSNode n)
{
    if (r->n_keys == TOML_KEYS_MAX)
        return wrong(r, line_of(n), "tables are nested more than %d deep", TOML_KEYS_MAX);
    const char **key = &r->key[r->n_keys++];
    if (is_type(n, "quoted_key"))
        return take_string(r, key, n);
    uint32_t begin = ts_node_start_byte(n);
    *key = arena_strndup(&r->toml->memory, r->text + begin, ts_node_end_byte(n) - begin);
    return STATUS_OK;
}

/* a.b.c is ((a . b) . c): the last part is the outermost node's. */
static enum status add_keys(struct toml_reader *r, TSNode n)
{
    TSNode part[TOML_KEYS_MAX];
    size_t parts = 0;
    while (is_type(n, "dotted_key") && ts_node_named_child_count(n) > 1) {
        if (parts + 1 >= TOML_KEYS_MAX)
            return wrong(r, line_of(n), "tables are nested more than %d deep",
                         TOML_KEYS_MAX);
        part[parts++] = ts_node_named_child(n, ts_node_named_child_count(n) - 1);
        n = ts_node_named_child(n, 0);
    }
    enum status st = add_key(r, n);
    while (!st && parts)
        st = add_key(r, part[--parts]);
    return st;
}

/* Valid until the next one is added. */
static struct toml_entry *add_entry(struct toml_reader *r, TSNode at, enum toml_kind kind)
{
    struct toml *t = r->toml;
    size_t bytes = r->n_keys * sizeof *r->key;
    const char **key = arena_alloc(&t->memory, bytes + 1);
    if (bytes)
        memcpy(key, r->key, bytes);
    vec_grow(t->entry, t->cap, t->n + 1);
    struct toml_entry *e = &t->entry[t->n++];
    *e = (struct toml_entry){.key = key,
                             .n_keys = r->n_keys,
                             .line = line_of(at),
                             .kind = kind,
                             .text = "",
                             .of_table_list = r->in_table_list};
    return e;
}

static enum toml_kind kind_of(TSNode n)
{
    static const struct {
        const char *type;
        enum toml_kind kind;
    } kinds[] = {{"string", TOML_STRING},
                 {"boolean", TOML_BOOL},
                 {"integer", TOML_INTEGER},
                 {"array", TOML_LIST},
                 {"inline_table", TOML_TABLE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_type(n, kinds[i].type))
            return kinds[i].kind;
    return TOML_OTHER;
}

static enum status take_item(struct toml_reader *r, struct toml_item *item, TSNode n)
{
    enum toml_kind kind = kind_of(n);
    bool flat = kind != TOML_LIST && kind != TOML_TABLE;
    *item = (struct toml_item){flat ? kind : TOML_OTHER, "", line_of(n)};
    return kind == TOML_STRING ? take_string(r, &item->text, n) : STATUS_OK;
}

static bool is_value(TSNode n)
{
    return ts_node_is_named(n) && !is_type(n, "comment");
}

static enum status take_list(struct toml_reader *r, TSNode list, TSNode at)
{
    struct toml_item *item = NULL;
    size_t n = 0, cap = 0;
    enum status st = STATUS_OK;
    TSTreeCursor c = ts_tree_cursor_new(list);
    for (bool more = ts_tree_cursor_goto_first_child(&c); more && !st;
         more = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode value = ts_tree_cursor_current_node(&c);
        if (!is_value(value))
            continue;
        vec_grow(item, cap, n + 1);
        st = take_item(r, &item[n++], value);
    }
    ts_tree_cursor_delete(&c);
    if (!st) {
        struct toml_item *kept = arena_alloc(&r->toml->memory, n * sizeof *kept + 1);
        if (n)
            memcpy(kept, item, n * sizeof *kept);
        struct toml_entry *e = add_entry(r, at, TOML_LIST);
        e->item = kept;
        e->n_items = n;
    }
    mem_free(item);
    return st;
}

static enum status take_integer(struct toml_reader *r, TSNode n, TSNode at)
{
    enum { DIGITS_MAX = 80 }; /* of 64 bits, with their underscores and a sign */
    char digits[DIGITS_MAX + 1], *end;
    size_t len = 0;
    for (uint32_t i = ts_node_start_byte(n); i < ts_node_end_byte(n); i++)
        if (r->text[i] != '_' && len < DIGITS_MAX)
            digits[len++] = r->text[i];
    digits[len] = '\0';
    static const char bases[] = "xob";
    static const int base_of[] = {16, 8, 2};
    const char *prefix = len > 2 && digits[0] == '0' ? strchr(bases, digits[1]) : NULL;
    errno = 0;
    long long value =
        strtoll(digits + (prefix ? 2 : 0), &end, prefix ? base_of[prefix - bases] : 10);
    if (errno || *end)
        return wrong(r, line_of(n), "a number does not fit 64 bits");
    add_entry(r, at, TOML_INTEGER)->integer = value;
    return STATUS_OK;
}

static enum status take_pairs(struct toml_reader *r, TSNode parent);

static enum status take_value(struct toml_reader *r, TSNode n, TSNode at)
{
    const char *text;
    enum toml_kind kind = kind_of(n);
    enum status st;
    switch (kind) {
    case TOML_TABLE:
        add_entry(r, at, kind);
        return take_pairs(r, n);
    case TOML_STRING:
        st = take_string(r, &text, n);
        if (!st)
            add_entry(r, at, kind)->text = text;
        return st;
    case TOML_BOOL:
        add_entry(r, at, kind)->truth = r->text[ts_node_start_byte(n)] == 't';
        return STATUS_OK;
    case TOML_INTEGER:
        return take_integer(r, n, at);
    case TOML_LIST:
        return take_list(r, n, at);
    case TOML_OTHER:
        break;
    }
    add_entry(r, at, TOML_OTHER);
    return STATUS_OK;
}

/* Recursion ends at TOML_KEYS_MAX: each pair has a key. */
static enum status take_pair(struct toml_reader *r, TSNode pair)
{
    size_t outer = r->n_keys;
    TSNode key = ts_node_named_child(pair, 0), value = ts_node_named_child(pair, 1);
    if (ts_node_is_null(value))
        return wrong(r, line_of(pair), "a key has no value; write key = value");
    enum status st = add_keys(r, key);
    if (!st)
        st = take_value(r, value, key);
    r->n_keys = outer;
    return st;
}

static enum status take_pairs(struct toml_reader *r, TSNode parent)
{
    enum status st = STATUS_OK;
    TSTreeCursor c = ts_tree_cursor_new(parent);
    for (bool more = ts_tree_cursor_goto_first_child(&c); more && !st;
         more = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode n = ts_tree_cursor_current_node(&c);
        if (is_type(n, "pair"))
            st = take_pair(r, n);
    }
    ts_tree_cursor_delete(&c);
    return st;
}

static enum status take_table(struct toml_reader *r, TSNode n)
{
    TSNode key = ts_node_named_child(n, 0);
    r->in_table_list = is_type(n, "table_array_element");
    enum status st = ts_node_is_null(key)
                         ? wrong(r, line_of(n), "a table has no name; write [name]")
                         : add_keys(r, key);
    if (!st)
        add_entry(r, key, r->in_table_list ? TOML_OTHER : TOML_TABLE);
    if (!st)
        st = take_pairs(r, n);
    r->n_keys = 0;
    r->in_table_list = false;
    return st;
}

static enum status take_document(struct toml_reader *r, TSNode root)
{
    enum status st = take_pairs(r, root);
    TSTreeCursor c = ts_tree_cursor_new(root);
    for (bool more = ts_tree_cursor_goto_first_child(&c); more && !st;
         more = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode n = ts_tree_cursor_current_node(&c);
        if (is_type(n, "table") || is_type(n, "table_array_element"))
            st = take_table(r, n);
    }
    ts_tree_cursor_delete(&c);
    return st;
}

/* The line of the first part that is not TOML; 0: all of it is. */
static int32_t first_error_line(TSNode root)
{
    if (!ts_node_has_error(root))
        return 0;
    TSTreeCursor c = ts_tree_cursor_new(root);
    TSNode n = root;
    while (!ts_node_is_missing(n) && !ts_node_is_error(n) &&
           ts_tree_cursor_goto_first_child(&c)) {
        n = ts_tree_cursor_current_node(&c);
        while (!ts_node_has_error(n) && ts_tree_cursor_goto_next_sibling(&c))
            n = ts_tree_cursor_current_node(&c);
    }
    ts_tree_cursor_delete(&c);
    return line_of(n);
}

static enum status check_text(const struct toml_reader *r, size_t len)
{
    int32_t line = 1;
    if (len > TOML_BYTES_MAX)
        return err_set(r->err, STATUS_USAGE,
                       "%s is larger than %d bytes; are these settings?", r->name,
                       TOML_BYTES_MAX);
    for (size_t i = 0; i < len;) {
        int seq = utf8_sequence_len(r->text + i, len - i);
        if (!seq || !r->text[i])
            return wrong(r, line, "not plain UTF-8 text; save the file as UTF-8");
        line += r->text[i] == '\n';
        i += (size_t)seq;
    }
    return STATUS_OK;
}

static enum status parse(TSTree **out, const struct toml_reader *r, size_t len)
{
    tree_memory_use();
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_toml()))
        BUG("the TOML grammar does not fit this tree-sitter");
    ts_parser_set_timeout_micros(parser, TOML_PARSE_MICROS_MAX);
    *out = ts_parser_parse_string(parser, NULL, r->text, (uint32_t)len);
    ts_parser_delete(parser);
    return *out ? STATUS_OK
                : err_set(r->err, STATUS_USAGE, "%s takes too long to parse; is it TOML?",
                          r->name);
}

static enum status read_tree(struct toml_reader *r, TSTree *tree)
{
    TSNode root = ts_tree_root_node(tree);
    int32_t line = first_error_line(root);
    if (line)
        return wrong(r, line, "not valid TOML; write key = value, with texts in quotes");
    return take_document(r, root);
}

enum status toml_read(struct toml *t, const char *text, size_t len, const char *name,
                      struct err *err)
{
    TSTree *tree;
    struct toml_reader r = {.toml = t, .text = text, .name = name, .err = err};
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* a byte order mark */
        r.text += 3;
        len -= 3;
    }
    enum status st = check_text(&r, len);
    if (!st)
        st = parse(&tree, &r, len);
    if (st)
        return st;
    *t = (struct toml){0};
    arena_init(&t->memory);
    st = read_tree(&r, tree);
    ts_tree_delete(tree);
    if (st)
        toml_release(t);
    return st;
}

#else

enum status toml_read(struct toml *t, const char *text, size_t len, const char *name,
                      struct err *err)
{
    (void)t, (void)text, (void)len;
    return err_set(err, STATUS_ENVIRONMENT,
                   "this build cannot read %s; run scripts/fetch-tree-sitter, then make",
                   name);
}
#endif
