/* What stands around the text: encodings, line ends, gzip. */
#include "traps.h"

#include <string.h>

void line_ends(struct corpus *c)
{
    static const struct {
        const char *name, *end;
    } ends[] = {{"crlf", "\r\n"}, {"cr", "\r"}, {"none", ""}, {"many", "\n\r\n\n\t \n"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct strbuf text;
        strbuf_init(&text);
        corpus_open(c, "%s", ends[i].name);
        good_document(c, AROUND);
        for (size_t k = 0; k < c->text.len; k++)
            if (c->text.s[k] == '\n')
                strbuf_puts(&text, ends[i].end);
            else
                strbuf_putc(&text, c->text.s[k]);
        strbuf_clear(&c->text);
        put_raw(c, text.s, text.len);
        corpus_close(c);
        strbuf_release(&text);
    }
}

/* The text with each byte as a character of `width` bytes, the first or the last of them.
 */
static void widen(struct corpus *c, const char *mark, size_t mark_len, size_t width,
                  bool big_end)
{
    struct strbuf text;
    strbuf_init(&text);
    good_document(c, AROUND);
    strbuf_add(&text, mark, mark_len);
    for (size_t i = 0; i < c->text.len; i++)
        for (size_t k = 0; k < width; k++)
            strbuf_putc(&text, k == (big_end ? width - 1 : 0) ? c->text.s[i] : '\0');
    strbuf_clear(&c->text);
    put_raw(c, text.s, text.len);
    strbuf_release(&text);
}

void byte_order_marks_and_wide_encodings(struct corpus *c)
{
    corpus_open(c, "utf8_mark");
    put(c, "\xef\xbb\xbf");
    good_document(c, AROUND);
    corpus_close(c);
    corpus_open(c, "utf8_mark_and_blanks");
    put(c, "\xef\xbb\xbf\n\n ");
    good_document(c, AROUND);
    corpus_close(c);
    corpus_open(c, "utf8_mark_cut");
    put(c, "\xef\xbb");
    good_document(c, AROUND);
    expect_either(c);
    corpus_close(c);
    corpus_open(c, "utf8_mark_twice");
    put(c, "\xef\xbb\xbf\xef\xbb\xbf");
    good_document(c, AROUND);
    expect_either(c);
    corpus_close(c);
    corpus_open(c, "utf8_mark_alone");
    put(c, "\xef\xbb\xbf");
    expect_refusal(c);
    corpus_close(c);
    static const struct {
        const char *name, *mark;
        size_t mark_len, width;
        bool big_end;
    } wide[] = {{"utf16_little", "\xff\xfe", 2, 2, false},
                {"utf16_big", "\xfe\xff", 2, 2, true},
                {"utf16_little_without_mark", "", 0, 2, false},
                {"utf16_big_without_mark", "", 0, 2, true},
                {"utf32_little", "\xff\xfe\0\0", 4, 4, false}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        corpus_open(c, "%s", wide[i].name);
        widen(c, wide[i].mark, wide[i].mark_len, wide[i].width, wide[i].big_end);
        expect_refusal(c);
        corpus_close(c);
    }
}

void nul_bytes(struct corpus *c)
{
    static const char zeros[4096];
    static const char in_name[] =
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\0b\", "
        "\"ts\": 1500, \"dur\": 4}";
    static const char in_number[] =
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"odd\", "
        "\"ts\": 15\0"
        "00, \"dur\": 4}";
    const struct {
        const char *name, *text;
        size_t len;
    } list[] = {{"in_a_name", in_name, sizeof in_name - 1},
                {"in_a_number", in_number, sizeof in_number - 1},
                {"between_events", zeros, 16},
                {"a_page_between_events", zeros, sizeof zeros}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        corpus_open(c, "%s", list[i].name);
        put_head(c);
        put_before(c, AROUND);
        put_comma(c);
        put_raw(c, list[i].text, list[i].len);
        put_after(c, AROUND);
        put_foot(c);
        corpus_close(c);
    }
    corpus_open(c, "behind_the_end");
    good_document(c, AROUND);
    put_raw(c, zeros, sizeof zeros);
    corpus_close(c);
    corpus_open(c, "instead_of_the_end"); /* a file system after a crash */
    put_head(c);
    put_before(c, AROUND);
    put_raw(c, zeros, sizeof zeros);
    corpus_close(c);
    corpus_open(c, "nothing_else");
    put_raw(c, zeros, sizeof zeros);
    expect_refusal(c);
    corpus_close(c);
}

/* --- gzip --- */

enum {
    BLOCK_BYTES = 100,
    FLAG_CRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16
};

static uint32_t crc32_of(const char *p, size_t len)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < len; i++) {
        crc ^= (uint8_t)p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void put_le(struct strbuf *to, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_putc(to, (char)(v >> 8 * i));
}

static void gzip_header(struct strbuf *to, int flags)
{
    size_t from = to->len;
    strbuf_add(to, "\x1f\x8b\x08", 3);
    strbuf_putc(to, (char)flags);
    strbuf_add(to, "\0\0\0\0\0\xff", 6);
    if (flags & FLAG_EXTRA)
        strbuf_add(to, "\x04\0abcd", 6);
    if (flags & FLAG_NAME)
        strbuf_add(to, "trace.json", 11);
    if (flags & FLAG_COMMENT)
        strbuf_add(to, "a comment", 10);
    if (flags & FLAG_CRC)
        put_le(to, crc32_of(to->s + from, to->len - from) & 0xffff, 2);
}

/* Stored blocks, so that it is plain which byte of the text stands where. */
static void gzip_body(struct strbuf *to, const char *text, size_t len)
{
    size_t at = 0;
    do {
        size_t piece = len - at < BLOCK_BYTES ? len - at : BLOCK_BYTES;
        strbuf_putc(to, at + piece == len);
        put_le(to, (uint32_t)piece, 2);
        put_le(to, ~(uint32_t)piece, 2);
        strbuf_add(to, text + at, piece);
        at += piece;
    } while (at < len);
    put_le(to, crc32_of(text, len), 4);
    put_le(to, (uint32_t)len, 4);
}

static void gzip_member(struct strbuf *to, const char *text, size_t len, int flags)
{
    gzip_header(to, flags);
    gzip_body(to, text, len);
}

/* The case's text becomes what was built, which is released. */
static void take(struct corpus *c, struct strbuf *gz)
{
    strbuf_clear(&c->text);
    put_raw(c, gz->s, gz->len);
    strbuf_release(gz);
}

/* The text in n members, cut anywhere, with what stands behind them. */
static void members(struct corpus *c, const char *variant, size_t n, const char *behind,
                    size_t behind_len)
{
    struct strbuf gz;
    strbuf_init(&gz);
    corpus_open(c, "%s", variant);
    good_document(c, AROUND);
    for (size_t i = 0; i < n; i++) {
        size_t from = c->text.len * i / n, to = c->text.len * (i + 1) / n;
        gzip_member(&gz, c->text.s + from, to - from, 0);
    }
    strbuf_add(&gz, behind, behind_len);
    take(c, &gz);
    corpus_close(c);
}

void gzip_members(struct corpus *c)
{
    static const char zeros[1024];
    members(c, "one", 1, "", 0);
    members(c, "two", 2, "", 0);
    members(c, "twenty", 20, "", 0);
    members(c, "one_byte_each", 400, "", 0);
    members(c, "garbage_behind", 2, "garbage, not gzip", 17);
    members(c, "zeros_behind", 2, zeros, sizeof zeros);
    members(c, "one_byte_behind", 1, "\x1f", 1);
    members(c, "half_a_header_behind", 1, "\x1f\x8b\x08", 3);
    struct strbuf gz, twice;
    strbuf_init(&gz);
    corpus_open(c, "empty_members_between");
    good_document(c, AROUND);
    gzip_member(&gz, "", 0, 0);
    gzip_member(&gz, c->text.s, c->text.len / 2, 0);
    gzip_member(&gz, "", 0, 0);
    gzip_member(&gz, c->text.s + c->text.len / 2, c->text.len - c->text.len / 2, 0);
    gzip_member(&gz, "", 0, 0);
    take(c, &gz);
    corpus_close(c);
    strbuf_init(&gz);
    corpus_open(c, "an_empty_member_alone");
    gzip_member(&gz, "", 0, 0);
    take(c, &gz);
    expect_refusal(c);
    corpus_close(c);
    strbuf_init(&gz);
    strbuf_init(&twice);
    corpus_open(c, "compressed_twice");
    good_document(c, AROUND);
    gzip_member(&gz, c->text.s, c->text.len, 0);
    gzip_member(&twice, gz.s, gz.len, 0);
    strbuf_release(&gz);
    take(c, &twice);
    expect_either(c);
    corpus_close(c);
}

enum { GZIP_EVENTS = 8 };

/* Events that lie whole in the first `bytes` of the text. */
static int64_t whole_before(const size_t end[GZIP_EVENTS], size_t bytes)
{
    int64_t n = 0;
    while (n < GZIP_EVENTS && end[n] <= bytes)
        n++;
    return n;
}

/* A document of GZIP_EVENTS events; where each one ends. */
static void gzip_document(struct corpus *c, size_t end[GZIP_EVENTS])
{
    put_head(c);
    for (int i = 0; i < GZIP_EVENTS; i++) {
        put_before(c, 1);
        end[i] = c->text.len;
    }
    put_foot(c);
}

/* Bytes of text in whole blocks among the first `bytes` of a member without header
 * fields. */
static size_t text_in_blocks(size_t bytes)
{
    size_t body = bytes < 10 ? 0 : bytes - 10;
    return body / (BLOCK_BYTES + 5) * BLOCK_BYTES;
}

static void expect_found(struct corpus *c, int64_t n)
{
    c->now.before_min = n;
    if (!n)
        expect_either(c);
}

void gzip_cut_short(struct corpus *c)
{
    enum { CUTS = 30 };
    for (size_t i = 0; i < CUTS; i++) {
        struct strbuf gz;
        size_t end[GZIP_EVENTS];
        strbuf_init(&gz);
        corpus_open(c, "at_%zu_of_%d", i, CUTS);
        gzip_document(c, end);
        gzip_member(&gz, c->text.s, c->text.len, 0);
        size_t cut = gz.len * i / CUTS;
        strbuf_clear(&c->text);
        put_raw(c, gz.s, cut);
        strbuf_release(&gz);
        expect_found(c, whole_before(end, text_in_blocks(cut)));
        corpus_close(c);
    }
    for (size_t less = 1; less <= 9; less++) {
        struct strbuf gz;
        strbuf_init(&gz);
        corpus_open(c, "without_the_last_%zu_bytes", less);
        good_document(c, AROUND);
        gzip_member(&gz, c->text.s, c->text.len, 0);
        gz.len -= less;
        take(c, &gz);
        corpus_close(c);
    }
}

/* One byte of the member is changed; events in blocks before it are found. */
static void gzip_flipped(struct corpus *c, const char *variant, int64_t at, int mask)
{
    struct strbuf gz;
    size_t end[GZIP_EVENTS];
    strbuf_init(&gz);
    corpus_open(c, "%s", variant);
    gzip_document(c, end);
    gzip_member(&gz, c->text.s, c->text.len, 0);
    size_t i = at < 0 ? gz.len - (size_t)-at : (size_t)at;
    gz.s[i] = (char)(gz.s[i] ^ mask);
    take(c, &gz);
    bool trailer = at < 0;
    expect_found(c, trailer ? GZIP_EVENTS : whole_before(end, text_in_blocks(i)));
    corpus_close(c);
}

void gzip_damaged(struct corpus *c)
{
    const int64_t block = BLOCK_BYTES + 5;
    gzip_flipped(c, "bad_crc", -8, 1);
    gzip_flipped(c, "bad_crc_last_byte", -5, 0x80);
    gzip_flipped(c, "bad_length", -4, 1);
    gzip_flipped(c, "bad_length_last_byte", -1, 0x80);
    gzip_flipped(c, "bad_method", 2, 1);
    gzip_flipped(c, "reserved_flags", 3, 0xe0);
    gzip_flipped(c, "bad_type_of_the_first_block", 10, 6);
    gzip_flipped(c, "bad_length_of_the_first_block", 11, 1);
    gzip_flipped(c, "bad_type_of_the_fifth_block", 10 + 4 * block, 6);
    gzip_flipped(c, "bad_length_of_the_fifth_block", 11 + 4 * block, 1);
    gzip_flipped(c, "a_fixed_block_for_the_fifth", 10 + 4 * block, 2);
    gzip_flipped(c, "a_dynamic_block_for_the_fifth", 10 + 4 * block, 4);
    gzip_flipped(c, "the_fifth_block_is_the_last", 10 + 4 * block, 1);
    gzip_flipped(c, "a_changed_text_byte", 10 + 4 * block + 50, 1);
}

void gzip_with_header_fields(struct corpus *c)
{
    for (int flags = 0; flags < 32; flags++) {
        struct strbuf gz;
        strbuf_init(&gz);
        corpus_open(c, "flags_%d", flags);
        good_document(c, AROUND);
        gzip_member(&gz, c->text.s, c->text.len, flags);
        take(c, &gz);
        corpus_close(c);
    }
    static const int open_fields[] = {FLAG_EXTRA, FLAG_NAME, FLAG_COMMENT, FLAG_CRC};
    for (size_t i = 0; i < sizeof open_fields / sizeof *open_fields; i++) {
        struct strbuf gz;
        strbuf_init(&gz);
        corpus_open(c, "cut_in_field_%d", open_fields[i]);
        gzip_header(&gz, open_fields[i]);
        gz.len -= 1;
        take(c, &gz);
        expect_refusal(c);
        corpus_close(c);
    }
}

void other_compressions(struct corpus *c)
{
    static const struct {
        const char *name, *magic;
        size_t len;
    } list[] = {{"zstd", "\x28\xb5\x2f\xfd\x04\x00", 6},
                {"zip", "PK\x03\x04\x14\0", 6},
                {"xz",
                 "\xfd"
                 "7zXZ\0",
                 6},
                {"bzip2", "BZh91AY", 7},
                {"zlib", "\x78\x9c\xab\x56", 4},
                {"lz4", "\x04\x22\x4d\x18\x64", 5},
                {"compress", "\x1f\x9d\x90", 3},
                {"sqlite", "SQLite format 3\0", 16},
                {"half_gzip", "\x1f", 1},
                {"gzip_magic_alone", "\x1f\x8b", 2}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        corpus_open(c, "%s", list[i].name);
        put_raw(c, list[i].magic, list[i].len);
        put_times(c, "\x01\x02\x03\x04", list[i].len > 2 ? 32 : 0);
        expect_refusal(c);
        corpus_close(c);
    }
}
