#ifdef GAIT_TREE_SITTER
#include "source/python_tree.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text_fit.h"
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

enum python_node python_node(TSNode n)
{
    TSSymbol symbol = ts_node_is_null(n) ? PYTHON_SYMBOLS_MAX : ts_node_symbol(n);
    return symbol < PYTHON_SYMBOLS_MAX ? (enum python_node)node_of_symbol[symbol]
                                       : PY_other;
}

/* The grammar compares names one by one; this asks it once for each. */
enum { FIELD_SLOTS = 256 };
static struct {
    const char *name;
    TSFieldId id;
} field_of_hash[FIELD_SLOTS];

static size_t field_slot(const char *name, size_t len)
{
    return ((unsigned char)name[0] * 31u + (unsigned char)name[len - 1] * 7u + len) %
           FIELD_SLOTS;
}

static void number_fields(void)
{
    const TSLanguage *python = tree_sitter_python();
    for (uint32_t id = 1; id <= ts_language_field_count(python); id++) {
        const char *name = ts_language_field_name_for_id(python, (TSFieldId)id);
        size_t slot = field_slot(name, strlen(name));
        while (field_of_hash[slot].name)
            slot = (slot + 1) % FIELD_SLOTS;
        field_of_hash[slot].name = name;
        field_of_hash[slot].id = (TSFieldId)id;
    }
}

static TSFieldId field_id(const char *name)
{
    size_t slot = field_slot(name, strlen(name));
    while (field_of_hash[slot].name && strcmp(field_of_hash[slot].name, name) != 0)
        slot = (slot + 1) % FIELD_SLOTS;
    if (!field_of_hash[slot].name)
        BUG("the Python grammar has no field \"%s\"", name);
    return field_of_hash[slot].id;
}

TSNode python_field(TSNode n, const char *name)
{
    return ts_node_is_null(n) ? n : ts_node_child_by_field_id(n, field_id(name));
}

uint32_t python_children(TSNode n)
{
    return ts_node_is_null(n) ? 0 : ts_node_named_child_count(n);
}

TSNode python_child(TSNode n, uint32_t i)
{
    return ts_node_is_null(n) ? n : ts_node_named_child(n, i);
}

TSNode python_parent(TSNode n)
{
    return ts_node_is_null(n) ? n : ts_node_parent(n);
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
    return python_slice(text, dotted ? python_field(name, "attribute") : name);
}

struct slice python_called(const char *text, TSNode call)
{
    return python_last_name(text, python_field(call, "function"));
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

enum status python_parse(TSTree **out, const char *text, size_t len, const char *name,
                         struct err *err)
{
    if (text_ends_with(name, ".ipynb")) /* its JSON parses as Python */
        return err_set(err, STATUS_INPUT,
                       "%s is a notebook; jupyter nbconvert --to script %s writes a "
                       "Python file of it",
                       name, name);
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
