/*
 * Bytes as a JSON text. Beside not crashing: what is refused says where and why; a tree
 * that is taken, written out again and read back, is the same tree.
 */
#include "base/json_read.h"
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte that must not stand bare becomes \u00XX; the rest is as it was. */
static void write_string(struct strbuf *out, const char *s, size_t len)
{
    strbuf_putc(out, '"');
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
            strbuf_printf(out, "\\u%04x", (unsigned)(unsigned char)s[i]);
        else
            strbuf_putc(out, s[i]);
    strbuf_putc(out, '"');
}

static void write_value(struct strbuf *out, const struct json *j)
{
    static const char open[] = "[{", close[] = "]}";
    int which = j->kind == JSON_KIND_OBJECT;
    switch (j->kind) {
    case JSON_KIND_NULL:
        strbuf_puts(out, "null");
        return;
    case JSON_KIND_BOOL:
        strbuf_puts(out, j->truth ? "true" : "false");
        return;
    case JSON_KIND_NUMBER:
        strbuf_add(out, j->text, j->len);
        return;
    case JSON_KIND_STRING:
        write_string(out, j->text, j->len);
        return;
    case JSON_KIND_ARRAY:
    case JSON_KIND_OBJECT:
        break;
    }
    strbuf_putc(out, open[which]);
    for (const struct json *c = j->child; c; c = c->next) {
        if (c->key) {
            write_string(out, c->key, c->key_len);
            strbuf_putc(out, ':');
        }
        write_value(out, c);
        if (c->next)
            strbuf_putc(out, ',');
    }
    strbuf_putc(out, close[which]);
}

static void check_same(const struct json *a, const struct json *b)
{
    if (a->kind != b->kind || a->n != b->n || a->len != b->len ||
        a->key_len != b->key_len || a->truth != b->truth)
        abort();
    if ((a->len && memcmp(a->text, b->text, a->len + 1)) ||
        (a->key_len && memcmp(a->key, b->key, a->key_len + 1)))
        abort();
    size_t n = 0;
    const struct json *y = b->child;
    for (const struct json *x = a->child; x; x = x->next, y = y->next, n++) {
        if (!y)
            abort();
        check_same(x, y);
    }
    if (y || n != a->n)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena memory;
    struct err err = ERR_INIT;
    const struct json *tree, *back;
    arena_init(&memory);
    if (json_read(&tree, &memory, (const char *)data, size, &err)) {
        if (!*err.text || err.offset < 0 || (size_t)err.offset > size)
            abort();
    } else {
        struct strbuf out;
        strbuf_init(&out);
        write_value(&out, tree);
        if (json_read(&back, &memory, out.s, out.len, &err))
            abort();
        check_same(tree, back);
        json_int_or(tree, 0);
        json_double_or(tree, 0);
        json_get(tree, "a");
        strbuf_release(&out);
    }
    arena_release(&memory);
    return 0;
}
