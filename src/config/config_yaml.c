/*
 * YAML into struct config, by libyaml's events: STREAM, one DOCUMENT, one MAPPING whose
 * values are scalars or, under a section's name, one more mapping of scalars. All else
 * that YAML can say (lists, deeper nesting, anchors, tags, several documents) is refused
 * with its line. The first thing wrong ends the reading, so nothing is built that the
 * text could blow up.
 */
#include "config/config.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text_fit.h"
#include "config/setting.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    struct config *config;
    const char *name; /* of the file, for messages */
    const char *text;
    size_t len;
    size_t seen_line[SETTING_COUNT]; /* 0: not yet */
    struct err *err;
};

static enum status wrong(struct reader *r, size_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static enum status wrong(struct reader *r, size_t line, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    err_set(r->err, STATUS_USAGE, "%s:%zu: %s", r->name, line, text);
    return STATUS_USAGE;
}

static size_t line_of(const yaml_event_t *e)
{
    return e->start_mark.line + 1;
}

static size_t line_of_offset(const struct reader *r, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < r->len; i++)
        line += r->text[i] == '\n';
    return line;
}

static enum status not_yaml(struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "unreadable";
    if (p->error == YAML_READER_ERROR)
        return wrong(r, line_of_offset(r, p->problem_offset),
                     "%s; the file must be plain UTF-8 text", problem);
    if (p->error == YAML_MEMORY_ERROR)
        return err_set(r->err, STATUS_ENVIRONMENT, "%s: out of memory", r->name);
    return wrong(r, p->problem_mark.line + 1, "not valid YAML: %s; write `key: value`",
                 problem);
}

/* On OK the caller deletes *e. Aliases are refused here for all. */
static enum status next_event(struct reader *r, yaml_event_t *e)
{
    if (!yaml_parser_parse(&r->parser, e))
        return not_yaml(r);
    if (e->type != YAML_ALIAS_EVENT)
        return STATUS_OK;
    enum status st =
        wrong(r, line_of(e), "aliases (*name) are not supported; repeat the value");
    yaml_event_delete(e);
    return st;
}

static enum status refuse_decoration(struct reader *r, const yaml_event_t *e)
{
    bool scalar = e->type == YAML_SCALAR_EVENT;
    if (scalar ? e->data.scalar.anchor : e->data.mapping_start.anchor)
        return wrong(r, line_of(e), "anchors (&name) are not supported; remove it");
    if (scalar ? e->data.scalar.tag : e->data.mapping_start.tag)
        return wrong(r, line_of(e), "tags (!name) are not supported; remove it");
    return STATUS_OK;
}

/* A key: a scalar. The caller frees it; NULL where it is refused. */
static char *take_key(struct reader *r, const yaml_event_t *e)
{
    if (e->type != YAML_SCALAR_EVENT) {
        wrong(r, line_of(e), "a key must be one word, as in `batch_size: 12`");
        return NULL;
    }
    if (refuse_decoration(r, e))
        return NULL;
    return mem_strndup((const char *)e->data.scalar.value, e->data.scalar.length);
}

static enum status unknown_key(struct reader *r, size_t line, const char *key)
{
    const char *near = config_nearest_key(key);
    struct shown_value shown = shown_value(key);
    if (near)
        return wrong(r, line, "unknown key %s; did you mean %s?", shown.s, near);
    return wrong(r, line, "unknown key %s; `gait config` lists all keys", shown.s);
}

static enum status check_place(struct reader *r, size_t line, const struct setting *s,
                               const char *section)
{
    size_t *seen = &r->seen_line[s - setting_table];
    if (*seen)
        return wrong(r, line, "%s is given twice, first in line %zu; keep one", s->key,
                     *seen);
    if (section && strcmp(section, s->section) != 0)
        return wrong(r, line, "%s stands under %s:; it belongs under %s: or at the top",
                     s->key, section, s->section);
    *seen = line;
    return STATUS_OK;
}

static enum status assign_scalar(struct reader *r, const yaml_event_t *e,
                                 const struct setting *s)
{
    const char *value = (const char *)e->data.scalar.value;
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool text = s->kind == SETTING_KIND_TEXT || s->kind == SETTING_KIND_CHOICE;
    if (strlen(value) != e->data.scalar.length)
        return wrong(r, line_of(e), "%s holds a NUL character; remove it", s->key);
    if (plain && (!*value || !strcmp(value, "~") || !strcmp(value, "null")))
        return wrong(r, line_of(e), "%s has no value; give one%s", s->key,
                     s->kind == SETTING_KIND_TEXT ? ", or \"\" for none" : "");
    struct shown_value shown = shown_value(value);
    if (!plain && !text)
        return wrong(r, line_of(e), "%s is the text %s; remove the quotes", s->key,
                     shown.s);
    struct err e2 = ERR_INIT;
    if (setting_assign(r->config, s, value, &e2))
        return wrong(r, line_of(e), "%s", e2.text);
    return STATUS_OK;
}

/* A section's name with nothing behind it, as when all its keys are comments. */
static bool is_empty_section(const yaml_event_t *value, const char *key)
{
    return setting_is_section(key) && value->type == YAML_SCALAR_EVENT &&
           !value->data.scalar.length &&
           value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           !value->data.scalar.anchor && !value->data.scalar.tag;
}

static enum status take_setting(struct reader *r, const yaml_event_t *value,
                                const char *key, size_t line, const char *section)
{
    const struct setting *s = strchr(key, '-') ? NULL : setting_find(key);
    if (!section && is_empty_section(value, key))
        return STATUS_OK;
    if (!s && !section && setting_is_section(key))
        return wrong(r, line, "%s is a section; write its keys below it, indented", key);
    const struct key_unneeded *unneeded = key_find_unneeded(key);
    if (!s && !unneeded)
        return unknown_key(r, line, key);
    if (value->type != YAML_SCALAR_EVENT)
        return wrong(r, line_of(value), "%s wants one value, not a list or a mapping",
                     key);
    enum status st = refuse_decoration(r, value);
    if (!st && unneeded)
        setting_note_unneeded(unneeded);
    if (!st && s)
        st = check_place(r, line, s, section);
    return st || !s ? st : assign_scalar(r, value, s);
}

static enum status read_mapping(struct reader *r, const char *section);

/* One key with its value, the key's event being *e. */
static enum status read_pair(struct reader *r, const yaml_event_t *e, const char *section)
{
    yaml_event_t value;
    size_t line = line_of(e);
    char *key = take_key(r, e);
    if (!key)
        return STATUS_USAGE;
    enum status st = next_event(r, &value);
    if (st)
        goto out;
    if (!section && value.type == YAML_MAPPING_START_EVENT && setting_is_section(key)) {
        st = refuse_decoration(r, &value);
        if (!st)
            st = read_mapping(r, key);
    } else {
        st = take_setting(r, &value, key, line, section);
    }
    yaml_event_delete(&value);
out:
    mem_free(key);
    return st;
}

/* Up to and with MAPPING-END. section is NULL at the top; it cannot nest deeper. */
static enum status read_mapping(struct reader *r, const char *section)
{
    for (;;) {
        yaml_event_t e;
        enum status st = next_event(r, &e);
        if (st)
            return st;
        bool end = e.type == YAML_MAPPING_END_EVENT;
        if (!end)
            st = read_pair(r, &e, section);
        yaml_event_delete(&e);
        if (st || end)
            return st;
    }
}

static enum status read_root(struct reader *r, const yaml_event_t *e)
{
    if (e->type == YAML_MAPPING_START_EVENT) {
        enum status st = refuse_decoration(r, e);
        return st ? st : read_mapping(r, NULL);
    }
    if (e->type == YAML_SCALAR_EVENT && !e->data.scalar.length)
        return STATUS_OK; /* "---" and nothing behind it */
    return wrong(r, line_of(e),
                 "this is not a list of settings; write `key: value` lines");
}

/* STREAM-START [DOCUMENT-START root DOCUMENT-END] STREAM-END */
static enum status read_stream(struct reader *r)
{
    bool had_document = false;
    for (;;) {
        yaml_event_t e;
        enum status st = next_event(r, &e);
        if (st)
            return st;
        yaml_event_type_t type = e.type;
        if (type == YAML_DOCUMENT_START_EVENT) {
            if (had_document)
                st = wrong(r, line_of(&e), "a second document (---); keep one in a file");
            had_document = true;
        } else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_END_EVENT &&
                   type != YAML_STREAM_END_EVENT) {
            st = read_root(r, &e);
        }
        yaml_event_delete(&e);
        if (st || type == YAML_STREAM_END_EVENT)
            return st;
    }
}

enum status config_parse_yaml(struct config *c, const char *text, size_t len,
                              const char *name, struct err *err)
{
    if (len > CONFIG_FILE_BYTES_MAX)
        return err_set(err, STATUS_INPUT, "%s is larger than %d bytes; is it a config?",
                       name, CONFIG_FILE_BYTES_MAX);
    struct config fresh;
    config_init(&fresh);
    config_copy(&fresh, c);
    struct reader r = {
        .config = &fresh, .name = name, .text = text, .len = len, .err = err};
    if (!yaml_parser_initialize(&r.parser)) {
        config_release(&fresh);
        return err_set(err, STATUS_ENVIRONMENT, "%s: out of memory", name);
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    enum status st = read_stream(&r);
    yaml_parser_delete(&r.parser);
    if (!st)
        config_copy(c, &fresh);
    config_release(&fresh);
    return st;
}

/* A trace, packed or not, or a run: what is given by mistake for a config. Flow mappings
 * of YAML begin with a brace too, but none of them holds a list of events. */
static bool is_recording(const char *text, size_t len)
{
    static const struct {
        const char *s;
        size_t len;
    } begins[] = {{"\x1f\x8b", 2}, {"\x28\xb5\x2f\xfd", 4}, {"SQLite format 3", 16}};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (len >= begins[i].len && !memcmp(text, begins[i].s, begins[i].len))
            return true;
    return len && (text[0] == '{' || text[0] == '[') &&
           memmem(text, len, "traceEvents", strlen("traceEvents"));
}

/* Most traces are larger than any config may be. */
static bool is_named_as_recording(const char *path)
{
    static const char *const end[] = {".json", ".json.gz", ".zst", ".gait"};
    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        if (text_ends_with(path, end[i]))
            return true;
    return false;
}

static enum status refuse_recording(const char *path, struct err *err)
{
    return err_set(err, STATUS_USAGE,
                   "%s is a recording, not a config; to see where its time goes: gait "
                   "analyze %s",
                   path, path);
}

enum status config_read_yaml(struct config *c, const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, CONFIG_FILE_BYTES_MAX, err);
    if (st)
        return file_exists(path) && is_named_as_recording(path)
                   ? refuse_recording(path, err)
                   : st;
    if (text_ends_with(path, ".py"))
        st = err_set(err, STATUS_USAGE,
                     "%s is a Python file, not a config; to record its training: gait "
                     "record -- python %s",
                     path, path);
    else
        st = is_recording(text, len) ? refuse_recording(path, err)
                                     : config_parse_yaml(c, text, len, path, err);
    mem_free(text);
    return st;
}
