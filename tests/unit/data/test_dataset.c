#include "data/dataset.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gait-dataset-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/text", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static enum status open_text(struct dataset *d, const char *text, size_t len,
                             size_t context, struct err *err)
{
    assert_int_equal(file_write(path, text, len, NULL), STATUS_OK);
    struct dataset_options o = {
        .name = path, .validation_fraction = 0.25, .context = context};
    return dataset_open(d, &o, err);
}

static void a_file_is_split_with_validation_at_its_end(void **state)
{
    (void)state;
    struct dataset d;
    assert_int_equal(open_text(&d, "aaaaaabbbcéd", 13, 2, NULL), STATUS_OK);
    assert_int_equal(d.n, 12);
    assert_int_equal(d.train.n, 9);
    assert_int_equal(d.validation.n, 3);
    struct strbuf s;
    strbuf_init(&s);
    tokenizer_decode(&d.tokenizer, &s, d.validation.token, d.validation.n);
    assert_string_equal(s.s, "céd");
    assert_true(isnan(d.entropy_nats_per_char));
    strbuf_release(&s);
    dataset_close(&d);
}

static void what_cannot_be_used_says_why_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        size_t context;
    } bad[] = {
        {"", "is empty; name a text file", 1},
        {"abcdefgh", "each part needs context + 1 = 3", 2},
        {"abc", "use a longer text", 100},
        {"abcdefghijklmnop\xff", "text: byte 16 does not begin", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct dataset d;
        struct err err = ERR_INIT;
        assert_int_equal(
            open_text(&d, bad[i].text, strlen(bad[i].text), bad[i].context, &err),
            STATUS_INPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
    }
}

static void missing_files_folders_and_pipes_are_refused(void **state)
{
    (void)state;
    struct dataset d;
    struct err err = ERR_INIT;
    struct dataset_options o = {.validation_fraction = 0.1, .context = 1};
    o.name = "/nonexistent/text";
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "no such file"));
    o.name = folder;
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "not a regular file"));
    char pipe_path[64];
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    o.name = pipe_path;
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    unlink(pipe_path);
}

static void the_builtin_text_knows_its_entropy(void **state)
{
    (void)state;
    struct dataset d;
    struct dataset_options o = {.name = "builtin",
                                .builtin_chars = 1000000,
                                .builtin_seed = 1,
                                .validation_fraction = 0.1,
                                .context = 64};
    assert_int_equal(dataset_open(&d, &o, NULL), STATUS_OK);
    assert_in_range(d.n, 999900, 1000000);
    assert_in_range(d.tokenizer.n, 20, 30);
    assert_float_equal(d.entropy_nats_per_char, 0.4739, 0.0001);
    /* 100,000 characters: the standard error is about 0.001 */
    assert_float_equal(d.validation_nats_per_char, d.entropy_nats_per_char, 0.005);
    assert_true(d.validation_nats_per_char != d.entropy_nats_per_char);
    dataset_close(&d);
}

static void a_builtin_text_too_small_to_validate_is_refused(void **state)
{
    (void)state;
    struct dataset d;
    struct err err = ERR_INIT;
    struct dataset_options o = {.name = "builtin",
                                .builtin_chars = 1000,
                                .validation_fraction = 0.05,
                                .context = 64};
    assert_int_equal(dataset_open(&d, &o, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "use a longer text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_split_with_validation_at_its_end),
        cmocka_unit_test(what_cannot_be_used_says_why_and_what_to_do),
        cmocka_unit_test(missing_files_folders_and_pipes_are_refused),
        cmocka_unit_test(the_builtin_text_knows_its_entropy),
        cmocka_unit_test(a_builtin_text_too_small_to_validate_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
