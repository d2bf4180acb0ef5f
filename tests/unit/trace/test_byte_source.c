#include "unit/trace/trace_fixture.h"

#include "trace/byte_source.h"
#include "trace/gzip_stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { ROOM = 1 << 16 };

struct got {
    char text[ROOM];
    size_t len;
    enum byte_end end;
};

/* Everything, in pieces of this size. */
static void drain(struct got *g, struct byte_source *s, size_t piece)
{
    size_t n;
    g->len = 0;
    while ((n = byte_source_read(s, g->text + g->len,
                                 piece < ROOM - g->len ? piece : ROOM - g->len)) > 0)
        g->len += n;
    g->end = byte_source_end(s);
    assert_int_equal(byte_source_read(s, g->text, 1), 0);
    byte_source_close(s);
}

static void drain_memory(struct got *g, const void *data, size_t len, size_t piece)
{
    struct byte_source *s;
    struct err err = ERR_INIT;
    assert_int_equal(byte_source_from_memory(&s, data, len, "m", &err), STATUS_OK);
    drain(g, s, piece);
}

static char *long_text(size_t len)
{
    char *text = mem_alloc(len + 1);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i * 7 % 26);
    text[len] = '\0';
    return text;
}

static void plain_bytes_come_through(void **state)
{
    (void)state;
    struct got g;
    drain_memory(&g, "hello", 5, 2);
    assert_int_equal(g.len, 5);
    assert_memory_equal(g.text, "hello", 5);
    assert_int_equal(g.end, BYTE_END_GOOD);
    drain_memory(&g, "", 0, 2);
    assert_int_equal(g.len, 0);
    assert_int_equal(g.end, BYTE_END_GOOD);
}

static void several_gzip_members_are_one_text(void **state)
{
    (void)state;
    struct got g;
    char *text = long_text(1000);
    uint8_t gz[8192];
    size_t n = gzip_stored(gz, text, 300);
    n += gzip_stored(gz + n, "", 0);
    n += gzip_stored(gz + n, text + 300, 700);
    for (size_t piece = 1; piece < 2000; piece = piece * 3 + 1) {
        drain_memory(&g, gz, n, piece);
        assert_int_equal(g.len, 1000);
        assert_memory_equal(g.text, text, 1000);
        assert_int_equal(g.end, BYTE_END_GOOD);
    }
    memset(gz + n, 0, 64); /* padding, as tape and some tools leave it */
    drain_memory(&g, gz, n + 64, 100);
    assert_int_equal(g.len, 1000);
    assert_int_equal(g.end, BYTE_END_GOOD);
    mem_free(text);
}

static void a_gzip_cut_anywhere_gives_a_prefix_and_says_so(void **state)
{
    (void)state;
    struct got g;
    char *text = long_text(600);
    uint8_t gz[4096];
    size_t first = gzip_stored(gz, text, 300);
    size_t n = first + gzip_stored(gz + first, text + 300, 300);
    for (size_t cut = 2; cut < n; cut++) {
        drain_memory(&g, gz, cut, 64);
        assert_memory_equal(g.text, text, g.len);
        if (cut == first || cut == first + 1) /* one byte is no member yet */
            assert_int_equal(g.end, BYTE_END_GOOD);
        else
            assert_int_equal(g.end, BYTE_END_UNPACK_TRUNCATED);
    }
    mem_free(text);
}

static void a_wrong_checksum_is_corrupt(void **state)
{
    (void)state;
    struct got g;
    uint8_t gz[512];
    size_t n = gzip_stored(gz, "some text", 9);
    gz[n - 6] ^= 1;
    drain_memory(&g, gz, n, 64);
    assert_int_equal(g.end, BYTE_END_UNPACK_CORRUPT);
    assert_memory_equal(g.text, "some text", g.len);
}

static void other_formats_are_refused_with_advice(void **state)
{
    (void)state;
    struct byte_source *s;
    struct err err = ERR_INIT;
    assert_int_equal(byte_source_from_memory(&s, "PK\x03\x04 rest", 9, "t.zip", &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "unzip"));
    assert_int_equal(byte_source_open(&s, "/nonexistent/t.json", &err), STATUS_INPUT);
    assert_int_equal(byte_source_open(&s, "/tmp", &err), STATUS_INPUT);
}

static void write_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static void a_file_that_shrinks_is_noticed(void **state)
{
    (void)state;
    char path[] = "/tmp/gait-source-XXXXXX";
    close(mkstemp(path));
    size_t len = 600 << 10; /* more than one input buffer */
    char *text = long_text(len), *out = mem_alloc(len);
    write_file(path, text, len);
    struct byte_source *s;
    struct err err = ERR_INIT;
    assert_int_equal(byte_source_open(&s, path, &err), STATUS_OK);
    assert_int_equal(byte_source_total(s), len);
    size_t got = byte_source_read(s, out, 1000), n;
    assert_int_equal(truncate(path, 300 << 10), 0);
    while ((n = byte_source_read(s, out, len)) > 0)
        got += n;
    assert_int_equal(got, 300 << 10);
    assert_int_equal(byte_source_end(s), BYTE_END_SHRANK);
    byte_source_close(s);
    unlink(path);
    mem_free(text);
    mem_free(out);
}

static void a_pipe_is_read_like_a_file(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]); /* as a shell's <(command) */
    pid_t child = fork();
    if (child == 0) {
        uint8_t gz[256];
        size_t n = gzip_stored(gz, "through a pipe", 14);
        for (size_t i = 0; i < n; i++) /* byte by byte, so that reads are short */
            if (write(ends[1], gz + i, 1) != 1)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    struct byte_source *s;
    struct err err = ERR_INIT;
    struct got g;
    assert_int_equal(byte_source_open(&s, path, &err), STATUS_OK);
    assert_int_equal(byte_source_total(s), 0);
    drain(&g, s, 100);
    assert_int_equal(g.len, 14);
    assert_memory_equal(g.text, "through a pipe", 14);
    assert_int_equal(g.end, BYTE_END_GOOD);
    close(ends[0]);
}

/* Headers with every optional part, the input cut everywhere: a pipe may do that. */
static void a_header_with_all_its_parts_is_read_in_any_pieces(void **state)
{
    (void)state;
    static const char header[] = "\x1f\x8b\x08\x1e\0\0\0\0\0\xff"
                                 "\x03\0abc"
                                 "name.json\0"
                                 "comment\0"
                                 "\x12\x34";
    uint8_t gz[1024], plain[512];
    size_t n = gzip_stored(plain, "text", 4), all = 0;
    for (int member = 0; member < 2; member++) {
        memcpy(gz + all, header, sizeof header - 1);
        memcpy(gz + all + sizeof header - 1, plain + 10, n - 10);
        all += sizeof header - 1 + n - 10;
    }
    for (size_t piece = 1; piece < all; piece++) {
        struct gzip_stream *z = gzip_stream_new();
        uint8_t out[16];
        struct unpack_buffers b = {.out = out, .out_len = sizeof out};
        enum unpack_result r = UNPACK_MORE_INPUT;
        for (size_t at = 0; at < all; at += piece) {
            b.in = gz + at;
            b.in_len = piece < all - at ? piece : all - at;
            b.in_is_all = at + piece >= all;
            r = gzip_stream_decode(z, &b);
        }
        assert_int_equal(r, UNPACK_END);
        assert_int_equal(b.out_len, sizeof out - 8);
        assert_memory_equal(out, "texttext", 8);
        gzip_stream_free(z);
    }
}

static void compressed_blocks_are_inflated(void **state)
{
    (void)state;
    struct byte_source *s;
    struct err err = ERR_INIT;
    struct got g;
    assert_int_equal(
        byte_source_open(&s, TESTS_DIR "/data/trace/two_members.json.gz", &err),
        STATUS_OK);
    assert_true(byte_source_is_packed(s));
    drain(&g, s, 777);
    assert_int_equal(g.end, BYTE_END_GOOD);
    assert_non_null(memmem(g.text, g.len, "\"last event\"", 12));
}

/* --- zstd --- */

/* Frames of words[0], words[1] …, a skippable one between; returns the bytes. */
static size_t zstd_frames(uint8_t *out, size_t cap, const char *const *words, int n)
{
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 3,  0,
                                        0,    0,    'x',  'y',  'z'};
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        memcpy(out + len, skippable, sizeof skippable);
        len += sizeof skippable;
        size_t got = ZSTD_compress(out + len, cap - len, words[i], strlen(words[i]), 3);
        assert_false(ZSTD_isError(got));
        len += got;
    }
    return len;
}

static void several_zstd_frames_are_one_text(void **state)
{
    (void)state;
    const char *const words[] = {"first ", "second ", "third"};
    uint8_t z[512];
    size_t n = zstd_frames(z, sizeof z, words, 3);
    for (size_t cap = 1; cap < 40; cap += 5) {
        struct got g;
        drain_memory(&g, z, n, cap);
        assert_int_equal(g.end, BYTE_END_GOOD);
        assert_int_equal(g.len, 18);
        assert_memory_equal(g.text, "first second third", 18);
    }
}

static void a_zstd_frame_cut_or_changed_says_so(void **state)
{
    (void)state;
    char *text = mem_alloc(3001);
    for (int i = 0; i < 3000; i++)
        text[i] = (char)('a' + i * i % 23);
    text[3000] = '\0';
    uint8_t *z = mem_alloc(8192);
    size_t n = zstd_frames(z, 8192, (const char *const[]){text}, 1);
    for (size_t cut = 12; cut < n; cut++) {
        struct got g;
        drain_memory(&g, z, cut, 512);
        assert_true(g.end == BYTE_END_UNPACK_TRUNCATED);
        assert_memory_equal(g.text, text, g.len);
    }
    memset(z + 30, 0xff, 20);
    struct got g;
    drain_memory(&g, z, n, 512);
    assert_int_equal(g.end, BYTE_END_UNPACK_CORRUPT);
    mem_free(text);
    mem_free(z);
}

/* Blocks of zstd's that say "128 KB of this byte" have 4 bytes each. */
static void text_that_grows_without_end_is_not_read_on(void **state)
{
    (void)state;
    enum { BLOCKS = 4096, BLOCK_BYTES = 128 << 10 }; /* 512 MiB */
    static uint8_t packed[6 + BLOCKS * 4] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x38};
    for (int i = 0; i < BLOCKS; i++) {
        uint32_t head = BLOCK_BYTES << 3 | 1 << 1 | (i == BLOCKS - 1);
        uint8_t block[4] = {(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16),
                            ' '};
        memcpy(packed + 6 + (size_t)i * 4, block, 4);
    }
    struct byte_source *s;
    struct err err = ERR_INIT;
    assert_int_equal(byte_source_from_memory(&s, packed, sizeof packed, "m", &err),
                     STATUS_OK);
    char *piece = mem_alloc(1 << 20);
    size_t n, total = 0;
    while ((n = byte_source_read(s, piece, 1 << 20)) > 0)
        total += n;
    assert_int_equal(byte_source_end(s), BYTE_END_UNPACK_GROWS);
    assert_true(total > 256 << 20 && total < 384 << 20);
    byte_source_close(s);
    mem_free(piece);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_grows_without_end_is_not_read_on),
        cmocka_unit_test(plain_bytes_come_through),
        cmocka_unit_test(several_gzip_members_are_one_text),
        cmocka_unit_test(a_gzip_cut_anywhere_gives_a_prefix_and_says_so),
        cmocka_unit_test(a_wrong_checksum_is_corrupt),
        cmocka_unit_test(other_formats_are_refused_with_advice),
        cmocka_unit_test(a_file_that_shrinks_is_noticed),
        cmocka_unit_test(a_pipe_is_read_like_a_file),
        cmocka_unit_test(a_header_with_all_its_parts_is_read_in_any_pieces),
        cmocka_unit_test(compressed_blocks_are_inflated),
        cmocka_unit_test(several_zstd_frames_are_one_text),
        cmocka_unit_test(a_zstd_frame_cut_or_changed_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
