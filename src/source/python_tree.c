#ifdef GAIT_TREE_SITTER
#include "source/python_tree.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text_fit.h"
#include "source/python_nodes.h"
#include "source/source_query.h"
#include "source/tree_memory.h"

#include <pthread.h>
#include <string.h>

/* From the grammar's symbols to ours; a name may have several symbols. */
static uint8_t node_of_symbol[PYTHON_SYMBOLS_MAX];

static void number_symbols(void)
{
    static const char *const names[] = {"",
#define X(name) #name,
                                        PYTHON_NODES(X)
#undef X
    };
    const TSLanguage *python = tree_sitter_python();
    uint32_t n = ts_language_symbol_count(python);
    if (n > PYTHON_SYMBOLS_MAX)
        BUG("the Python grammar has %u symbols", (unsigned)n);
    for (uint32_t s = 0; s < n; s++) {
        if (ts_language_symbol_type(python, (TSSymbol)s) != TSSymbolTypeRegular)
            continue;
        for (size_t i = 1; i < sizeof names / sizeof *names; i++)
            if (!strcmp(ts_language_symbol_name(python, (TSSymbol)s), names[i]))
                node_of_symbol[s] = (uint8_t)i;
    }
}

enum python_node python_node_of_symbol(TSSymbol symbol)
{
    return symbol < PYTHON_SYMBOLS_MAX ? (enum python_node)node_of_symbol[symbol]
                                       : PY_other;
}

enum python_node python_node(TSNode n)
{
    return python_node_of_symbol(ts_node_is_null(n) ? PYTHON_SYMBOLS_MAX
                                                    : ts_node_symbol(n));
}

/* The grammar compares names one by one; this asks it once for each. */
static TSFieldId id_of_field[PYTHON_FIELDS_N];

static void number_fields(void)
{
    static const char *const names[] = {
#define X(name) #name,
        PYTHON_FIELDS(X)
#undef X
    };
    for (size_t i = 0; i < PYTHON_FIELDS_N; i++) {
        id_of_field[i] = ts_language_field_id_for_name(tree_sitter_python(), names[i],
                                                       (uint32_t)strlen(names[i]));
        if (!id_of_field[i])
            BUG("the Python grammar has no field \"%s\"", names[i]);
    }
}

static const TSNode no_node;

static TSNode node_of_row(const struct python_nodes *l, int32_t row)
{
    return row < 0 ? no_node : l->rows[row].node;
}

TSNode python_field(TSNode n, enum python_field field)
{
    int32_t row;
    const struct python_nodes *l = python_nodes_find(n, &row);
    if (!l)
        return ts_node_is_null(n) ? n : ts_node_child_by_field_id(n, id_of_field[field]);
    for (row = l->rows[row].first; row >= 0; row = l->rows[row].next)
        if (l->rows[row].field == id_of_field[field])
            break;
    return node_of_row(l, row);
}

uint32_t python_children(TSNode n)
{
    return ts_node_is_null(n) ? 0 : ts_node_named_child_count(n);
}

TSNode python_child(TSNode n, uint32_t i)
{
    int32_t row;
    const struct python_nodes *l = python_nodes_find(n, &row);
    if (!l)
        return ts_node_is_null(n) ? n : ts_node_named_child(n, i);
    for (row = l->rows[row].first; row >= 0; row = l->rows[row].next)
        if (l->rows[row].named && !i--)
            break;
    return node_of_row(l, row);
}

TSNode python_parent(TSNode n)
{
    int32_t row;
    const struct python_nodes *l = python_nodes_find(n, &row);
    if (!l)
        return ts_node_is_null(n) ? n : ts_node_parent(n);
    return node_of_row(l, l->rows[row].parent);
}

uint32_t python_end(TSNode n)
{
    return ts_node_is_null(n) ? 0 : ts_node_end_byte(n);
}

const char *python_type(TSNode n)
{
    return ts_node_is_null(n) ? "" : ts_node_type(n);
}

int32_t python_line(TSNode n)
{
    return (int32_t)ts_node_start_point(n).row + 1;
}

int32_t python_end_line(TSNode n)
{
    return (int32_t)ts_node_end_point(n).row + 1;
}

struct slice python_slice(const char *text, TSNode n)
{
    if (ts_node_is_null(n))
        return (struct slice){"", 0};
    uint32_t begin = ts_node_start_byte(n);
    return (struct slice){text + begin, python_end(n) - begin};
}

bool slice_is(struct slice a, const char *b)
{
    return a.len == strlen(b) && !memcmp(a.s, b, a.len);
}

bool slice_equal(struct slice a, struct slice b)
{
    return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

uint32_t slice_hash(struct slice s, uint32_t seed)
{
    uint32_t h = 2166136261u ^ seed;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.s[i]) * 16777619u;
    return h ^ h >> 15;
}

bool slice_is_any(struct slice a, const char *const *list)
{
    for (; *list; list++)
        if (slice_is(a, *list))
            return true;
    return false;
}

bool slice_has(struct slice text, const char *word)
{
    return memmem(text.s, text.len, word, strlen(word)) != NULL;
}

struct slice python_last_name(const char *text, TSNode name)
{
    bool dotted = python_node(name) == PY_attribute;
    return python_slice(text, dotted ? python_field(name, FIELD_attribute) : name);
}

struct slice python_called(const char *text, TSNode call)
{
    return python_last_name(text, python_field(call, FIELD_function));
}

bool python_is_name_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

struct work_limit work_limit_begin(void)
{
    return (struct work_limit){.begin_ns = clock_thread_cpu_ns()};
}

bool work_limit_is_over(struct work_limit *l)
{
    enum { ASKED_PER_LOOK = 64 }; /* the clock is a system call */
    if (++l->asked % ASKED_PER_LOOK == 0)
        l->over |=
            clock_thread_cpu_ns() - l->begin_ns > PYTHON_PARSE_MICROS_MAX * INT64_C(1000);
    return l->over;
}

static pthread_key_t parser_key;

static void free_parser(void *parser)
{
    ts_parser_delete(parser);
}

/* Before the first text is parsed, so before there is a node to ask about. */
static void prepare(void)
{
    number_symbols();
    number_fields();
    if (pthread_key_create(&parser_key, free_parser))
        BUG("no room for a thread's own parser");
}

/* A parser keeps what it allocates for the next text. */
static TSParser *parser_of_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    TSParser *parser = pthread_getspecific(parser_key);
    if (parser)
        return parser;
    parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_python()))
        BUG("the Python grammar does not fit this tree-sitter");
    pthread_setspecific(parser_key, parser);
    return parser;
}

/* Files that are not Python, named by mistake: much of JSON and YAML parses as Python. */
static enum status refuse_others(const char *text, size_t len, const char *name,
                                 struct err *err)
{
    if (text_ends_with(name, ".ipynb"))
        return err_set(err, STATUS_INPUT,
                       "%s is a notebook; jupyter nbconvert --to script %s writes a "
                       "Python file of it",
                       name, name);
    if (text_ends_with(name, ".gait") || text_ends_with(name, ".json"))
        return err_set(err, STATUS_INPUT,
                       "%s is a recording, not a Python file; to price findings by it: "
                       "gait lint FILE.py --with %s",
                       name, name);
    if (text_ends_with(name, ".yaml") || text_ends_with(name, ".yml"))
        return err_set(err, STATUS_INPUT, "%s is a config, not a Python file", name);
    if (memchr(text, '\0', len)) /* nor does Python take it */
        return err_set(err, STATUS_INPUT,
                       "%s has NUL bytes, which no Python file has; is it a program?",
                       name);
    return STATUS_OK;
}

enum status python_parse(TSTree **out, const char *text, size_t len, const char *name,
                         struct err *err)
{
    enum status st = refuse_others(text, len, name, err);
    if (st)
        return st;
    if (len > SOURCE_FILE_BYTES_MAX)
        return err_set(err, STATUS_INPUT, "%s is larger than %d bytes; is it a program?",
                       name, SOURCE_FILE_BYTES_MAX);
    tree_memory_use();
    TSParser *parser = parser_of_thread();
    ts_parser_set_timeout_micros(parser, PYTHON_PARSE_MICROS_MAX);
    *out = ts_parser_parse_string(parser, NULL, text, (uint32_t)len);
    ts_parser_reset(parser); /* it would go on where it was stopped */
    if (!*out)
        return err_set(err, STATUS_INPUT, "%s takes too long to parse; is it Python?",
                       name);
    return STATUS_OK;
}
#endif
