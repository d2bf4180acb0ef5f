/* The table of settings, and how one value moves between text and struct config. */
#include "config/setting.h"

#include "base/json_writer.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/word_list.h"
#include "config/key_alias.h"
#include "config/number_text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ROW(section, key, KIND)                                                          \
#section, #key, SETTING_KIND_##KIND, offsetof(struct config, key)
#define ROW_INT(section, key, def, min, max, help)                                       \
    {ROW(section, key, INT), min, max, 0, 0, NULL, help},
#define ROW_REAL(section, key, def, min, max, help)                                      \
    {ROW(section, key, REAL), 0, 0, min, max, NULL, help},
#define ROW_BOOL(section, key, def, help)                                                \
    {ROW(section, key, BOOL), 0, 0, 0, 0, NULL, help},
#define ROW_TEXT(section, key, def, help)                                                \
    {ROW(section, key, TEXT), 0, 0, 0, 0, NULL, help},
#define ROW_CHOICE(section, key, def, choices, help)                                     \
    {ROW(section, key, CHOICE), 0, 0, 0, 0, choices, help},

const struct setting setting_table[SETTING_COUNT] = {
    SETTINGS(ROW_INT, ROW_REAL, ROW_BOOL, ROW_TEXT, ROW_CHOICE)};

const struct setting *setting_find(const char *key)
{
    const char *meant = key_of_alias(key);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (key_same(setting_table[i].key, meant ? meant : key))
            return &setting_table[i];
    return NULL;
}

void setting_note_unneeded(const struct key_unneeded *key)
{
    log_line("note: %s is not needed and changes nothing: %s", key->name, key->why);
}

bool setting_is_section(const char *name)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (!strcmp(setting_table[i].section, name))
            return true;
    return false;
}

int64_t *setting_int(struct config *c, const struct setting *s)
{
    return (int64_t *)((char *)c + s->offset);
}

double *setting_real(struct config *c, const struct setting *s)
{
    return (double *)((char *)c + s->offset);
}

bool *setting_bool(struct config *c, const struct setting *s)
{
    return (bool *)((char *)c + s->offset);
}

char **setting_text(struct config *c, const struct setting *s)
{
    return (char **)((char *)c + s->offset);
}

/* C0, DEL, and C1 in UTF-8 (0xc2 0x80 to 0xc2 0x9f): terminals obey them. */
static bool is_control(const char *p)
{
    unsigned char c = (unsigned char)p[0];
    return c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)p[1] < 0xa0);
}

struct shown_value shown_value(const char *text)
{
    enum { KEEP = 60 };
    struct shown_value v;
    size_t n = 0, len = strlen(text);
    v.s[n++] = '"';
    for (size_t i = 0; i < len && i < KEEP;) {
        int seq = utf8_sequence_len(text + i, len - i);
        bool plain = seq && !is_control(text + i);
        if (plain)
            memcpy(v.s + n, text + i, (size_t)seq);
        else
            v.s[n] = '?';
        n += plain ? (size_t)seq : 1;
        i += seq ? (size_t)seq : 1;
    }
    snprintf(v.s + n, sizeof v.s - n, "%s\"", len > KEEP ? "…" : "");
    return v;
}

void setting_allowed(struct strbuf *out, const struct setting *s)
{
    struct number_text low, high;
    switch (s->kind) {
    case SETTING_KIND_INT:
        strbuf_printf(out, "a whole number from %lld to %lld", (long long)s->int_min,
                      (long long)s->int_max);
        break;
    case SETTING_KIND_REAL:
        low = number_text(s->real_min);
        high = number_text(s->real_max);
        strbuf_printf(out, "a number from %s to %s", low.s, high.s);
        break;
    case SETTING_KIND_BOOL:
        strbuf_puts(out, "true or false");
        break;
    case SETTING_KIND_TEXT:
        strbuf_printf(out, "UTF-8 text of at most %d bytes", CONFIG_TEXT_BYTES_MAX);
        break;
    case SETTING_KIND_CHOICE:
        for (const char *p = s->choices; *p; p++)
            if (*p == '|')
                strbuf_puts(out, " or ");
            else
                strbuf_putc(out, *p);
        break;
    }
}

static enum status refuse(const struct setting *s, const char *text, struct err *err)
{
    struct strbuf allowed;
    strbuf_init(&allowed);
    setting_allowed(&allowed, s);
    struct shown_value shown = shown_value(text);
    err_set(err, STATUS_USAGE, "%s is %s; allowed: %s", s->key, shown.s, allowed.s);
    strbuf_release(&allowed);
    return STATUS_USAGE;
}

static bool parse_bool(bool *out, const char *text)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (int i = 0; i < 6; i++)
        if (!strcasecmp(text, words[i])) {
            *out = i % 2;
            return true;
        }
    return false;
}

static bool is_text(const char *text)
{
    size_t len = strlen(text);
    if (len > CONFIG_TEXT_BYTES_MAX)
        return false;
    for (size_t i = 0; i < len;) {
        int seq = utf8_sequence_len(text + i, len - i);
        if (!seq)
            return false;
        i += (size_t)seq;
    }
    return true;
}

static void replace_text(char **member, const char *text)
{
    char *copy = mem_strdup(text);
    mem_free(*member);
    *member = copy;
}

enum status setting_assign(struct config *c, const struct setting *s, const char *text,
                           struct err *err)
{
    int64_t i;
    double r;
    bool b, good = false;
    switch (s->kind) {
    case SETTING_KIND_INT:
        good = number_parse_int(&i, text) && i >= s->int_min && i <= s->int_max;
        if (good)
            *setting_int(c, s) = i;
        break;
    case SETTING_KIND_REAL:
        good = number_parse_real(&r, text) && r >= s->real_min && r <= s->real_max;
        if (good)
            *setting_real(c, s) = r;
        break;
    case SETTING_KIND_BOOL:
        good = parse_bool(&b, text);
        if (good)
            *setting_bool(c, s) = b;
        break;
    case SETTING_KIND_TEXT:
    case SETTING_KIND_CHOICE:
        good = s->kind == SETTING_KIND_TEXT ? is_text(text)
                                            : word_list_has(s->choices, '|', text);
        if (good)
            replace_text(setting_text(c, s), text);
        break;
    }
    return good ? STATUS_OK : refuse(s, text, err);
}

void setting_value(struct strbuf *out, const struct config *c, const struct setting *s)
{
    struct config *readable = (struct config *)c; /* only read from below */
    struct number_text real;
    switch (s->kind) {
    case SETTING_KIND_INT:
        strbuf_printf(out, "%lld", (long long)*setting_int(readable, s));
        break;
    case SETTING_KIND_REAL:
        real = number_text(*setting_real(readable, s));
        strbuf_puts(out, real.s);
        break;
    case SETTING_KIND_BOOL:
        strbuf_puts(out, *setting_bool(readable, s) ? "true" : "false");
        break;
    case SETTING_KIND_TEXT:
    case SETTING_KIND_CHOICE:
        strbuf_puts(out, *setting_text(readable, s));
        break;
    }
}
