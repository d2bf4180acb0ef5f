#include "base/file.h"
#include "cmocka_setup.h"
#include "lint/lint_fix.h"
#include "lint_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct lint_result result;

static int setup(void **state)
{
    (void)state;
    result = (struct lint_result){0};
    arena_init(&result.text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lint_result_release(&result);
    return 0;
}

static struct lint_file *file_of(const char *text)
{
    return fixture_file(&result, "train.py", text, strlen(text));
}

static void replace(struct lint_file *file, enum lint_safety safety, const char *old,
                    const char *new)
{
    struct lint_finding *f = fixture_at(&result, file, FIXTURE_SYNC, old);
    fixture_edit(&result, f, safety, f->begin, f->end, new);
}

static void assert_fixed(const struct lint_file *file, bool unsafe, const char *text,
                         size_t applied, size_t waiting)
{
    struct lint_source source;
    struct lint_fixed fixed;
    assert_int_equal(lint_source_read(&source, file, NULL), STATUS_OK);
    lint_fix_apply(&fixed, file, &source, unsafe);
    assert_string_equal(fixed.text.s, text);
    assert_int_equal(fixed.applied, applied);
    assert_int_equal(fixed.waiting, waiting);
    lint_fixed_release(&fixed);
    lint_source_release(&source);
}

static void safe_edits_are_applied_and_unsafe_ones_where_asked(void **state)
{
    (void)state;
    struct lint_file *file = file_of("a.item()\nb.cpu()\nc.numpy()\n");
    replace(file, LINT_SAFE, ".item()", ".detach()");
    replace(file, LINT_UNSAFE, ".cpu()", "");
    fixture_at(&result, file, FIXTURE_COPY, ".numpy()"); /* advice alone */
    assert_fixed(file, false, "a.detach()\nb.cpu()\nc.numpy()\n", 1, 0);
    assert_fixed(file, true, "a.detach()\nb\nc.numpy()\n", 2, 0);
}

static void without_edits_the_text_stays_as_it_is(void **state)
{
    (void)state;
    assert_fixed(file_of(""), true, "", 0, 0);
    assert_fixed(file_of("no newline"), true, "no newline", 0, 0);
}

static void edits_of_one_finding_are_applied_all_or_none(void **state)
{
    (void)state;
    struct lint_file *file = file_of("x = f(a)\ny = g(b)\n");
    replace(file, LINT_SAFE, "g(b)", "h(b)");
    struct lint_finding *f = fixture_at(&result, file, FIXTURE_COPY, "f(a)");
    fixture_edit(&result, f, LINT_SAFE, 0, 0, "import h\n");
    fixture_edit(&result, f, LINT_SAFE, f->begin, f->begin + 1, "h.f");
    uint32_t b = fixture_find(file, "b)"); /* within what the first one replaces */
    fixture_edit(&result, f, LINT_SAFE, b, b + 1, "c");
    assert_fixed(file, false, "x = f(a)\ny = h(b)\n", 1, 1);
}

static void edits_that_touch_wait_for_the_next_round(void **state)
{
    (void)state;
    struct lint_file *file = file_of("abcdef");
    replace(file, LINT_SAFE, "bc", "X");
    replace(file, LINT_SAFE, "de", "Y"); /* begins where the other ends */
    replace(file, LINT_SAFE, "f", "Z");
    struct lint_finding *f = fixture_at(&result, file, FIXTURE_COPY, "a");
    fixture_edit(&result, f, LINT_SAFE, 1, 1, "!"); /* inserts where the first begins */
    assert_fixed(file, false, "aXdeZ", 2, 2);
}

static void two_findings_that_insert_at_one_place_take_turns(void **state)
{
    (void)state;
    struct lint_file *file = file_of("a\nb\n");
    for (int i = 0; i < 2; i++) {
        struct lint_finding *f = fixture_at(&result, file, FIXTURE_COPY, i ? "b" : "a");
        fixture_edit(&result, f, LINT_SAFE, 0, 0, "import torch\n");
    }
    assert_fixed(file, false, "import torch\na\nb\n", 1, 1);
}

static void edits_of_one_finding_may_touch(void **state)
{
    (void)state;
    struct lint_file *file = file_of("f(x)");
    struct lint_finding *f = fixture_at(&result, file, FIXTURE_COPY, "f(x)");
    fixture_edit(&result, f, LINT_SAFE, 0, 0, "1");
    fixture_edit(&result, f, LINT_SAFE, 0, 0, "2");
    fixture_edit(&result, f, LINT_SAFE, 0, 1, "g");
    fixture_edit(&result, f, LINT_SAFE, 1, 2, "[");
    fixture_edit(&result, f, LINT_SAFE, 3, 4, "]");
    fixture_edit(&result, f, LINT_SAFE, 4, 4, "\n");
    assert_fixed(file, false, "12g[x]\n", 1, 0);
}

static void inserted_lines_end_as_the_file_ends_them(void **state)
{
    (void)state;
    struct lint_file *file = file_of("a = 1\r\nb = 2\r\n");
    struct lint_finding *f = fixture_at(&result, file, FIXTURE_COPY, "b = 2");
    fixture_edit(&result, f, LINT_SAFE, f->begin, f->begin, "x = 0\n\ny = 0\r\n");
    assert_fixed(file, false, "a = 1\r\nx = 0\r\n\r\ny = 0\r\nb = 2\r\n", 1, 0);
    file = file_of("a = 1\nb = 2\r\n"); /* the first line decides */
    f = fixture_at(&result, file, FIXTURE_COPY, "b = 2");
    fixture_edit(&result, f, LINT_SAFE, f->begin, f->begin, "x = 0\n");
    assert_fixed(file, false, "a = 1\nx = 0\nb = 2\r\n", 1, 0);
}

static void bytes_of_all_kinds_stay_as_they_are(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf# \xff\xfe\0\x1b[2J\nx.item()\n\0";
    struct lint_file *file = fixture_file(&result, "odd.py", text, sizeof text - 1);
    replace(file, LINT_SAFE, ".item()", "");
    struct lint_source source;
    struct lint_fixed fixed;
    assert_int_equal(lint_source_read(&source, file, NULL), STATUS_OK);
    lint_fix_apply(&fixed, file, &source, false);
    static const char expected[] = "\xef\xbb\xbf# \xff\xfe\0\x1b[2J\nx\n\0";
    assert_int_equal(fixed.text.len, sizeof expected - 1);
    assert_memory_equal(fixed.text.s, expected, sizeof expected - 1);
    lint_fixed_release(&fixed);
    lint_source_release(&source);
}

/* --- many edits, against another way to do it */

static uint64_t seed = 7;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

struct taken {
    bool changed[2001]; /* bytes, and the places between them, that an edit touches */
};

static bool takes(struct taken *t, const struct lint_finding *f)
{
    for (size_t i = 0; i < f->n_edits; i++)
        for (uint32_t b = f->edits[i].begin; b <= f->edits[i].end; b++)
            if (t->changed[b])
                return false;
    for (size_t i = 0; i < f->n_edits; i++)
        for (uint32_t b = f->edits[i].begin; b <= f->edits[i].end; b++)
            t->changed[b] = true;
    return true;
}

static void expect_by_marks(struct strbuf *out, const struct lint_file *file,
                            size_t *applied)
{
    struct taken t = {0};
    const char *at[2001] = {0}; /* what is put before a byte */
    uint32_t end[2001] = {0};   /* where the text goes on behind it */
    *applied = 0;
    for (size_t i = 0; i < file->n; i++) {
        const struct lint_finding *f = &file->findings[i];
        if (!takes(&t, f))
            continue;
        ++*applied;
        for (size_t k = 0; k < f->n_edits; k++) {
            at[f->edits[k].begin] = f->edits[k].text;
            end[f->edits[k].begin] = f->edits[k].end;
        }
    }
    for (uint32_t b = 0; b <= file->len;) {
        if (at[b])
            strbuf_puts(out, at[b]);
        if (at[b] && end[b] > b) {
            b = end[b];
            continue;
        }
        if (b < file->len)
            strbuf_putc(out, file->text[b]);
        b++;
    }
}

static void random_finding(struct lint_file *file, uint32_t len)
{
    uint32_t at = random_below(len);
    struct lint_finding *f = fixture_finding(&result, file, FIXTURE_SYNC, at, at);
    for (uint32_t i = random_below(3) + 1; i > 0 && at < len; i--) {
        uint32_t end = at + random_below(5);
        end = end < len ? end : len;
        char text[16];
        snprintf(text, sizeof text, "<%u>", random_below(1000));
        fixture_edit(&result, f, LINT_SAFE, at, end, text);
        at = end + 1 + random_below(i == 2 ? len : 9); /* the next near or far */
    }
}

static void many_edits_give_what_marking_bytes_gives(void **state)
{
    (void)state;
    enum { LEN = 2000, ROUNDS = 60 };
    static char text[LEN + 1];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < LEN; i++)
            text[i] = (char)('a' + random_below(26));
        struct lint_file *file = fixture_file(&result, "many.py", text, LEN);
        for (uint32_t n = random_below(400); n > 0; n--)
            random_finding(file, LEN);
        struct strbuf expected;
        size_t applied;
        strbuf_init(&expected);
        expect_by_marks(&expected, file, &applied);
        assert_fixed(file, false, expected.s, applied, file->n - applied);
        strbuf_release(&expected);
    }
}

static void a_hundred_thousand_edits_take_no_time(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct strbuf text;
    strbuf_init(&text);
    for (int i = 0; i < N; i++)
        strbuf_puts(&text, "x.item()\n");
    struct lint_file *file = fixture_file(&result, "long.py", text.s, text.len);
    for (uint32_t i = 0; i < N; i++) {
        vec_grow(file->findings, file->cap, file->n + 1);
        struct lint_edit *e = arena_alloc(&result.text, sizeof *e);
        *e = (struct lint_edit){9 * i + 1, 9 * i + 8, ""};
        file->findings[file->n++] = (struct lint_finding){
            .rule = fixture_rules, .safety = LINT_SAFE, .edits = e, .n_edits = 1};
    }
    struct lint_source source;
    struct lint_fixed fixed;
    assert_int_equal(lint_source_read(&source, file, NULL), STATUS_OK);
    lint_fix_apply(&fixed, file, &source, false);
    assert_int_equal(fixed.applied, N);
    assert_int_equal(fixed.text.len, 2 * N);
    lint_fixed_release(&fixed);
    lint_source_release(&source);
    strbuf_release(&text);
}

/* --- on the disk */

struct folder {
    char name[32], file[64], link[64];
};

static void folder_make(struct folder *f)
{
    snprintf(f->name, sizeof f->name, "/tmp/gait-test-XXXXXX");
    assert_non_null(mkdtemp(f->name));
    snprintf(f->file, sizeof f->file, "%s/train.py", f->name);
    snprintf(f->link, sizeof f->link, "%s/link.py", f->name);
}

/* How many names are in it: no temporary file may stay. */
static int names_in(const char *folder)
{
    int n = -2; /* . and .. */
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void folder_remove(struct folder *f)
{
    unlink(f->file);
    unlink(f->link);
    assert_int_equal(rmdir(f->name), 0);
}

static void assert_holds(const char *path, const char *expected)
{
    char *text;
    size_t len;
    assert_int_equal(file_read(&text, &len, path, 1 << 20, NULL), STATUS_OK);
    assert_string_equal(text, expected);
    mem_free(text);
}

static void a_fixed_file_keeps_its_mode_and_its_link(void **state)
{
    (void)state;
    struct folder d;
    struct stat s;
    struct err err = ERR_INIT;
    folder_make(&d);
    assert_int_equal(file_write(d.file, "old\n", 4, &err), STATUS_OK);
    assert_int_equal(chmod(d.file, 0750), 0);
    assert_int_equal(symlink("train.py", d.link), 0);
    struct content_hash_text before = content_hash_of("old\n", 4);
    assert_int_equal(lint_fix_write(d.link, &before, "new\n", 4, &err), STATUS_OK);
    assert_holds(d.file, "new\n");
    assert_int_equal(lstat(d.link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(lstat(d.file, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0750);
    assert_int_equal(names_in(d.name), 2);
    folder_remove(&d);
}

static void a_file_that_was_changed_meanwhile_is_left_alone(void **state)
{
    (void)state;
    struct folder d;
    struct err err = ERR_INIT;
    folder_make(&d);
    struct content_hash_text before = content_hash_of("old\n", 4);
    assert_int_equal(file_write(d.file, "someone's work\n", 15, &err), STATUS_OK);
    assert_int_equal(lint_fix_write(d.file, &before, "new\n", 4, &err), STATUS_INPUT);
    assert_non_null(
        strstr(err.text, "changed since it was checked; run gait lint again"));
    assert_non_null(strstr(err.text, d.file));
    assert_holds(d.file, "someone's work\n");
    assert_int_equal(names_in(d.name), 1);
    struct lint_file checked = {.path = d.file, .hash = before};
    struct lint_source source;
    assert_int_equal(lint_source_read(&source, &checked, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "changed since it was checked"));
    folder_remove(&d);
}

static void a_file_that_is_gone_or_a_folder_is_named(void **state)
{
    (void)state;
    struct folder d;
    struct err err = ERR_INIT;
    folder_make(&d);
    struct content_hash_text before = content_hash_of("", 0);
    assert_int_not_equal(lint_fix_write(d.file, &before, "x", 1, &err), STATUS_OK);
    assert_non_null(strstr(err.text, d.file));
    assert_int_not_equal(lint_fix_write(d.name, &before, "x", 1, &err), STATUS_OK);
    assert_non_null(strstr(err.text, d.name));
    assert_int_equal(names_in(d.name), 0);
    folder_remove(&d);
}

static void a_file_on_the_disk_is_read_again_for_its_fixes(void **state)
{
    (void)state;
    struct folder d;
    struct lint_source source;
    struct err err = ERR_INIT;
    folder_make(&d);
    assert_int_equal(file_write(d.file, "x.item()\n", 9, &err), STATUS_OK);
    struct lint_file file = {.path = d.file, .hash = content_hash_of("x.item()\n", 9)};
    assert_int_equal(lint_source_read(&source, &file, &err), STATUS_OK);
    assert_int_equal(source.len, 9);
    assert_string_equal(source.text, "x.item()\n");
    lint_source_release(&source);
    folder_remove(&d);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(safe_edits_are_applied_and_unsafe_ones_where_asked),
        CASE(without_edits_the_text_stays_as_it_is),
        CASE(edits_of_one_finding_are_applied_all_or_none),
        CASE(edits_that_touch_wait_for_the_next_round),
        CASE(two_findings_that_insert_at_one_place_take_turns),
        CASE(edits_of_one_finding_may_touch),
        CASE(inserted_lines_end_as_the_file_ends_them),
        CASE(bytes_of_all_kinds_stay_as_they_are),
        CASE(many_edits_give_what_marking_bytes_gives),
        CASE(a_hundred_thousand_edits_take_no_time),
        CASE(a_fixed_file_keeps_its_mode_and_its_link),
        CASE(a_file_that_was_changed_meanwhile_is_left_alone),
        CASE(a_file_that_is_gone_or_a_folder_is_named),
        CASE(a_file_on_the_disk_is_read_again_for_its_fixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
