/* A file that does not hold what was trained is noticed, and nothing stays behind. */
#include "cmocka_setup.h"

#ifndef GAIT_TRAIN
int main(void)
{
    return 77; /* there is no trainer in this build */
}
#else
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/hf_export.h"
#include "verify/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *spoilt; /* file of the folder whose last byte is changed, or NULL */

enum status __real_hf_export(const char *from, const char *out,
                             const struct hf_export_options *options,
                             struct hf_export_result *result, struct err *err);
enum status __wrap_hf_export(const char *from, const char *out,
                             const struct hf_export_options *options,
                             struct hf_export_result *result, struct err *err);
enum status __wrap_hf_export(const char *from, const char *out,
                             const struct hf_export_options *options,
                             struct hf_export_result *result, struct err *err)
{
    enum status s = __real_hf_export(from, out, options, result, err);
    if (s != STATUS_OK || !spoilt)
        return s;
    char *path = path_join(out, spoilt);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, -1, SEEK_END), 0);
    int last = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_END), 0);
    fputc(last ^ 0x40, f);
    fclose(f);
    mem_free(path);
    return s;
}

static struct gate_result gate_of(const char *file)
{
    struct config config;
    struct verify_result result = {.n = 0};
    config_init(&config);
    config.layers = 1;
    config.heads = 2;
    config.width = 16;
    config.context = 8;
    config.batch_size = 2;
    config.builtin_chars = 20000;
    spoilt = file;
    proof_gate_files(&result, &config);
    config_release(&config);
    assert_int_equal(result.n, 1);
    return result.gate[0];
}

static void files_that_are_as_trained_pass(void **state)
{
    (void)state;
    assert_int_equal(gate_of(NULL).verdict, VERDICT_PASS);
}

static void a_changed_weight_fails(void **state)
{
    (void)state;
    struct gate_result g = gate_of("model.safetensors");
    assert_int_equal(g.verdict, VERDICT_FAIL);
    assert_string_equal(g.code, "files_differ");
    assert_non_null(strstr(g.remark, "Hugging Face"));
}

static void a_broken_description_fails(void **state)
{
    (void)state;
    struct gate_result g = gate_of("config.json");
    assert_int_equal(g.verdict, VERDICT_FAIL);
    assert_string_equal(g.code, "files_unreadable");
}

static void nothing_stays_behind(void **state)
{
    char folder[] = "/tmp/test-proof-files-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    gate_of(NULL);
    gate_of("config.json");
    unsetenv("TMPDIR");
    assert_int_equal(rmdir(folder), 0); /* it is empty */
}

static void without_a_place_it_does_not_apply(void **state)
{
    (void)state;
    setenv("TMPDIR", "/nonexistent", 1);
    struct gate_result g = gate_of(NULL);
    unsetenv("TMPDIR");
    assert_int_equal(g.verdict, VERDICT_NOT_APPLICABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_as_trained_pass),
        cmocka_unit_test(a_changed_weight_fails),
        cmocka_unit_test(a_broken_description_fails),
        cmocka_unit_test(nothing_stays_behind),
        cmocka_unit_test(without_a_place_it_does_not_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
