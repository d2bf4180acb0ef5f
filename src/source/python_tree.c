#ifdef GAIT_TREE_SITTER
#include "source/python_tree.h"

#include "base/mem.h"
#include "source/source_facts.h"

static void *resize(void *p, size_t bytes)
{
    return mem_resize(p, 1, bytes);
}

enum status python_parse(TSTree **out, const char *text, size_t len, const char *name,
                         struct err *err)
{
    if (len > SOURCE_FILE_BYTES_MAX)
        return err_set(err, STATUS_INPUT, "%s is larger than %d bytes; is it a program?",
                       name, SOURCE_FILE_BYTES_MAX);
    /* Its own functions abort where there is no memory. */
    ts_set_allocator(mem_alloc, mem_zalloc, resize, mem_free);
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_python()))
        BUG("the Python grammar does not fit this tree-sitter");
    ts_parser_set_timeout_micros(parser, PYTHON_PARSE_MICROS_MAX);
    *out = ts_parser_parse_string(parser, NULL, text, (uint32_t)len);
    ts_parser_delete(parser);
    if (!*out)
        return err_set(err, STATUS_INPUT, "%s takes too long to parse; is it Python?",
                       name);
    return STATUS_OK;
}
#endif
