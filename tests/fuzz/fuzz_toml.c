/*
 * Bytes as a TOML text. Beside not crashing: what is refused says why; what is taken,
 * written out again with all its keys in each line and read back, has the same values.
 */
#include "base/strbuf.h"
#include "source/toml_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_string(struct strbuf *out, const char *s)
{
    strbuf_putc(out, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\')
            strbuf_printf(out, "\\u%04x", (unsigned)c);
        else
            strbuf_putc(out, *s);
    }
    strbuf_putc(out, '"');
}

static void write_list(struct strbuf *out, const struct toml_entry *e)
{
    strbuf_puts(out, "[\n");
    for (size_t i = 0; i < e->n_items; i++) {
        const struct toml_item *item = &e->item[i];
        if (item->kind == TOML_STRING)
            write_string(out, item->text);
        else
            strbuf_puts(out, item->kind == TOML_BOOL      ? "true"
                             : item->kind == TOML_INTEGER ? "7"
                                                          : "0.5");
        strbuf_puts(out, ", # ]\n");
    }
    strbuf_puts(out, "]");
}

static void write_entry(struct strbuf *out, const struct toml_entry *e)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        strbuf_puts(out, i ? "." : "");
        write_string(out, e->key[i]);
    }
    strbuf_puts(out, " = ");
    if (e->kind == TOML_STRING)
        write_string(out, e->text);
    else if (e->kind == TOML_LIST)
        write_list(out, e);
    else if (e->kind == TOML_BOOL)
        strbuf_puts(out, e->truth ? "true" : "false");
    else if (e->kind == TOML_INTEGER)
        strbuf_printf(out, "%lld", (long long)e->integer);
    else
        strbuf_puts(out, e->kind == TOML_TABLE ? "{}" : "1979-05-27");
    strbuf_puts(out, "\n");
}

static void check_same(const struct toml_entry *a, const struct toml_entry *b)
{
    if (a->kind != b->kind || a->integer != b->integer || a->truth != b->truth ||
        strcmp(a->text, b->text) || a->n_keys != b->n_keys || a->n_items != b->n_items)
        abort();
    if (!toml_is_under(a, b->key, b->n_keys) || !toml_is_under(b, a->key, a->n_keys))
        abort();
    for (size_t i = 0; i < a->n_items; i++)
        if (a->item[i].kind != b->item[i].kind ||
            strcmp(a->item[i].text, b->item[i].text))
            abort();
}

static void check_reads_back(const struct toml *t)
{
    struct toml back;
    struct strbuf out;
    struct err err = ERR_INIT;
    strbuf_init(&out);
    for (size_t i = 0; i < t->n; i++)
        write_entry(&out, &t->entry[i]);
    if (out.len <= TOML_BYTES_MAX) {
        if (toml_read(&back, out.s, out.len, "back", &err) || back.n != t->n)
            abort();
        for (size_t i = 0; i < t->n; i++)
            check_same(&t->entry[i], &back.entry[i]);
        toml_release(&back);
    }
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct toml t;
    struct err err = ERR_INIT;
    int32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (toml_read(&t, (const char *)data, size, "fuzz.toml", &err)) {
        if (!*err.text || !err.status)
            abort();
        return 0;
    }
    for (size_t i = 0; i < t.n; i++)
        if (t.entry[i].line < 1 || t.entry[i].line > lines || !t.entry[i].n_keys)
            abort();
    check_reads_back(&t);
    toml_release(&t);
    return 0;
}
