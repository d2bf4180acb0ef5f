#include "base/brief.h"

#include "base/status.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* For what follows the entries of a list: the ends of open levels, a further list without
 * entries, "left_out" with its number. */
enum { TAIL_BYTES = 128 };
/* For the keys and numbers between two texts outside of lists, and for lists without
 * entries: what texts leave free beside the tail. */
enum { FIELDS_BYTES = 320, LEAST_TEXT_BYTES = 8 };

void brief_begin(struct brief *b, struct strbuf *out, const char *command)
{
    *b = (struct brief){0};
    json_init(&b->w, out);
    b->w.compact = true;
    json_begin_object(&b->w);
    json_field_string(&b->w, "format", "gait-brief");
    json_field_int(&b->w, "version", BRIEF_VERSION);
    json_field_string(&b->w, "command", command);
}

void brief_end(struct brief *b)
{
    json_field_int(&b->w, "left_out", (int64_t)b->left_out);
    json_end(&b->w);
    strbuf_putc(b->w.out, '\n');
    if (b->w.out->len > BRIEF_BYTES_MAX)
        BUG("a brief of %zu bytes", b->w.out->len);
}

/* --- texts --- */

/* What one character takes in a JSON text; *len: its bytes as it stands. Those that would
 * have to be escaped with six letters become a blank. */
static size_t written_bytes(const char *s, size_t left, size_t *len)
{
    int n = utf8_sequence_len(s, left);
    unsigned char c = (unsigned char)s[0];
    bool c1 = n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0;
    *len = n ? (size_t)n : 1;
    if (!n)
        return 3; /* U+FFFD */
    if (n > 1)
        return c1 ? 1 : (size_t)n;
    return c == '"' || c == '\\' || c == '\n' || c == '\t' ? 2 : 1;
}

static void add_character(struct strbuf *out, const char *s, size_t len)
{
    unsigned char c = (unsigned char)s[0];
    bool c1 = len == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0;
    bool control = len == 1 && (c < 0x20 || c == 0x7f) && c != '\n' && c != '\t';
    if (c1 || control)
        strbuf_putc(out, ' ');
    else
        strbuf_add(out, s, len);
}

/* Behind so many characters of s that they take at most `bytes`. */
static size_t head_end(const char *s, size_t n, size_t bytes)
{
    size_t at = 0, len;
    for (size_t written = 0; at < n; at += len) {
        written += written_bytes(s + at, n - at, &len);
        if (written > bytes)
            break;
    }
    return at;
}

/* From where on the rest takes at most `bytes`. */
static size_t tail_begin(const char *s, size_t n, size_t all, size_t bytes)
{
    size_t at = 0, len;
    for (; at < n && all > bytes; at += len)
        all -= written_bytes(s + at, n - at, &len);
    return at;
}

static size_t all_bytes(const char *s, size_t n)
{
    size_t all = 0, len;
    for (size_t at = 0; at < n; at += len)
        all += written_bytes(s + at, n - at, &len);
    return all;
}

static void add_range(struct strbuf *out, const char *s, size_t from, size_t to, size_t n)
{
    size_t len;
    for (size_t at = from; at < to; at += len) {
        written_bytes(s + at, n - at, &len);
        add_character(out, s + at, len);
    }
}

/* An entry may take what it likes: it is taken back. Outside of them a text gives way. */
static size_t room_for_text(const struct brief *b, size_t max_bytes)
{
    size_t used = b->w.out->len + TAIL_BYTES + FIELDS_BYTES;
    size_t left = used < BRIEF_BYTES_MAX ? BRIEF_BYTES_MAX - used : 0;
    if (b->w.depth > 1 || left >= max_bytes)
        return max_bytes;
    return left > LEAST_TEXT_BYTES ? left : LEAST_TEXT_BYTES;
}

void brief_text(struct brief *b, const char *key, const char *s, size_t max_bytes)
{
    static const char ellipsis[] = "…";
    struct strbuf text;
    size_t n = s ? strlen(s) : 0, all = all_bytes(s, n);
    max_bytes = room_for_text(b, max_bytes);
    strbuf_init(&text);
    if (all <= max_bytes) {
        add_range(&text, s, 0, n, n);
    } else {
        size_t room = max_bytes - strlen(ellipsis);
        add_range(&text, s, 0, head_end(s, n, room / 2), n);
        strbuf_puts(&text, ellipsis);
        add_range(&text, s, tail_begin(s, n, all, room / 2), n, n);
    }
    json_field_text_or_null(&b->w, key, text.s);
    strbuf_release(&text);
}

void brief_next(struct brief *b, const char *command, const char *words,
                const char *otherwise)
{
    const char *hole = command ? strstr(command, "{}") : NULL;
    struct strbuf text;
    strbuf_init(&text);
    if (hole) {
        size_t all =
            all_bytes(command, strlen(command)) + all_bytes(words, strlen(words));
        strbuf_printf(&text, "%.*s%s%s", (int)(hole - command), command,
                      all > BRIEF_NEXT_BYTES ? otherwise : words, hole + 2);
    }
    brief_text(b, "next", hole ? text.s : command, BRIEF_NEXT_BYTES);
    strbuf_release(&text);
}

/* --- numbers --- */

void brief_number(struct brief *b, const char *key, double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", v);
    json_key(&b->w, key);
    if (isfinite(v))
        json_raw(&b->w, strcmp(text, "-0") ? text : "0");
    else
        json_null(&b->w);
}

void brief_ms(struct brief *b, const char *key, double ns)
{
    brief_number(b, key, ns / 1e6);
}

void brief_bool(struct brief *b, const char *key, bool v)
{
    json_key(&b->w, key);
    json_bool(&b->w, v);
}

/* --- lists --- */

void brief_list(struct brief *b, const char *key)
{
    b->full = false;
    json_key(&b->w, key);
    json_begin_array(&b->w);
}

void brief_list_end(struct brief *b)
{
    json_end(&b->w);
}

void brief_item(struct brief *b)
{
    b->before_item = b->w;
    b->len_before_item = b->w.out->len;
    json_begin_object(&b->w);
}

void brief_item_end(struct brief *b)
{
    struct strbuf *out = b->w.out;
    json_end(&b->w);
    b->full = b->full || out->len + TAIL_BYTES > BRIEF_BYTES_MAX;
    if (!b->full)
        return;
    b->w = b->before_item;
    out->len = b->len_before_item;
    out->s[out->len] = '\0';
    b->left_out++;
}
