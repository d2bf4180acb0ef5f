#include "config/yaml_numbers.h"

#include "base/file.h"
#include "base/mem.h"
#include "config/number_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { FILE_BYTES_MAX = 1 << 16, KEY_MAX = 64, VALUE_MAX = 64 };

struct numbers {
    yaml_number_fn *take;
    void *context;
    const char *path;
    char key[KEY_MAX]; /* "": a key comes next */
    bool in_mapping;
    struct err *err;
};

static enum status wrong(struct numbers *n, size_t line, const char *what)
{
    return err_set(n->err, STATUS_USAGE,
                   "%s:%zu: %s; write `name: number` lines, as in `min_speedup: 1.3`",
                   n->path, line, what);
}

static bool copy_scalar(char *to, size_t room, const yaml_event_t *e)
{
    size_t len = e->data.scalar.length;
    if (len >= room || memchr(e->data.scalar.value, '\0', len))
        return false;
    memcpy(to, e->data.scalar.value, len);
    to[len] = '\0';
    return len > 0;
}

static enum status take_scalar(struct numbers *n, const yaml_event_t *e)
{
    size_t line = e->start_mark.line + 1;
    char text[VALUE_MAX];
    double value;
    if (!n->in_mapping || e->data.scalar.anchor || e->data.scalar.tag)
        return wrong(n, line, "this is no list of numbers");
    if (!*n->key)
        return copy_scalar(n->key, sizeof n->key, e) ? STATUS_OK
                                                     : wrong(n, line, "an odd name");
    if (!copy_scalar(text, sizeof text, e) || !number_parse_real(&value, text))
        return wrong(n, line, "this is no number");
    struct err inner = ERR_INIT;
    enum status s = n->take(n->context, n->key, value, &inner);
    n->key[0] = '\0';
    return s ? err_set(n->err, s, "%s:%zu: %s", n->path, line, inner.text) : STATUS_OK;
}

static enum status take_event(struct numbers *n, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(n, e);
    case YAML_MAPPING_START_EVENT:
        if (n->in_mapping)
            return wrong(n, e->start_mark.line + 1, "a list inside a list");
        n->in_mapping = true;
        return STATUS_OK;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_ALIAS_EVENT:
        return wrong(n, e->start_mark.line + 1, "this is no list of numbers");
    default:
        return STATUS_OK;
    }
}

static enum status read_all(struct numbers *n, yaml_parser_t *parser)
{
    for (;;) {
        yaml_event_t e;
        if (!yaml_parser_parse(parser, &e))
            return wrong(n, parser->problem_mark.line + 1, "not valid YAML");
        bool last = e.type == YAML_STREAM_END_EVENT;
        enum status s = take_event(n, &e);
        yaml_event_delete(&e);
        if (s || last)
            return s;
    }
}

enum status yaml_numbers(const char *path, yaml_number_fn *take, void *context,
                         struct err *err)
{
    char *text;
    size_t len;
    yaml_parser_t parser;
    struct numbers n = {.take = take, .context = context, .path = path, .err = err};
    enum status s = file_read(&text, &len, path, FILE_BYTES_MAX, err);
    if (s)
        return s;
    if (!yaml_parser_initialize(&parser)) {
        mem_free(text);
        return err_set(err, STATUS_ENVIRONMENT, "%s: out of memory", path);
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    s = read_all(&n, &parser);
    yaml_parser_delete(&parser);
    mem_free(text);
    return s;
}
