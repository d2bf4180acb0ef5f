#include "checkpoint/checkpoint.h"

#include "base/file.h"
#include "checkpoint/safetensors.h"
#include "cmocka_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char top[] = "/tmp/gait-checkpoint-XXXXXX";
static char dir[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(top))
        return -1;
    snprintf(dir, sizeof dir, "%s/weights", top);
    snprintf(path, sizeof path, "%s/model.safetensors", dir);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir) || rmdir(top);
}

static float wte[6], bias[3], scalar[1];

static struct checkpoint_tensor model[] = {
    {.name = "wte", .dims = 2, .shape = {2, 3}, .data = wte},
    {.name = "bias", .dims = 1, .shape = {3}, .data = bias},
    {.name = "scalar", .dims = 0, .data = scalar},
};
enum { TENSORS = sizeof model / sizeof *model };

static const uint32_t characters[] = {10, 97, 0x20ac};
static const struct checkpoint_model about = {.layers = 1,
                                              .heads = 2,
                                              .width = 3,
                                              .context = 4,
                                              .bias = true,
                                              .vocabulary = characters,
                                              .characters = 3};

static void fill(float first)
{
    for (int i = 0; i < 6; i++)
        wte[i] = first + (float)i;
    for (int i = 0; i < 3; i++)
        bias[i] = -first - (float)i;
    scalar[0] = first / 3;
}

static void what_was_saved_is_loaded(void **state)
{
    (void)state;
    fill(10);
    assert_int_equal(checkpoint_save(dir, &about, model, TENSORS, 1234, NULL), STATUS_OK);
    fill(20); /* a second one replaces the first */
    assert_int_equal(checkpoint_save(dir, &about, model, TENSORS, 5678, NULL), STATUS_OK);
    fill(0);
    int64_t step = 0;
    assert_int_equal(checkpoint_load(dir, model, TENSORS, &step, NULL), STATUS_OK);
    assert_int_equal(step, 5678);
    assert_float_equal(wte[5], 25, 0);
    assert_float_equal(bias[0], -20, 0);
    assert_float_equal(scalar[0], 20.0f / 3, 0);
}

/* The names are those of Hugging Face's GPT-2 and the layout is not: the file must not
 * pass for one of theirs, and must be usable by itself. */
static void the_file_says_what_it_is_and_what_is_needed_to_use_it(void **state)
{
    (void)state;
    struct safetensors_file f;
    fill(1);
    assert_int_equal(checkpoint_save(dir, &about, model, TENSORS, 7, NULL), STATUS_OK);
    assert_int_equal(safetensors_open(&f, path, NULL), STATUS_OK);
    assert_string_equal(safetensors_metadata(&f.header, "format"), "gait");
    assert_string_equal(safetensors_metadata(&f.header, "layout"),
                        "linear weights are (outputs, inputs)");
    assert_string_equal(
        safetensors_metadata(&f.header, "model"),
        "{\"layers\":1,\"heads\":2,\"width\":3,\"context\":4,\"bias\":true}");
    assert_string_equal(safetensors_metadata(&f.header, "vocabulary"), "[10,97,8364]");
    assert_string_equal(safetensors_metadata(&f.header, "gait.step"), "7");
    safetensors_close(&f);
}

static void a_folder_is_checked_before_it_is_needed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(checkpoint_check(dir, &err), STATUS_OK);
    assert_true(file_is_dir(dir));
    assert_int_equal(checkpoint_check(dir, &err), STATUS_OK);
    assert_int_equal(checkpoint_check("/nonexistent/a", &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "make it first"));
    assert_int_equal(checkpoint_check("/dev/null", &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "name a folder"));
}

static void another_model_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    fill(1);
    assert_int_equal(checkpoint_save(dir, &about, model, TENSORS, 1, NULL), STATUS_OK);
    struct {
        struct checkpoint_tensor t[TENSORS + 1];
        size_t n;
        const char *says;
    } wrong[4];
    for (int i = 0; i < 4; i++) {
        memcpy(wrong[i].t, model, sizeof model);
        wrong[i].n = TENSORS;
    }
    wrong[0].t[2].name = "scale";
    wrong[0].says = "\"scale\" is missing";
    wrong[1].t[1].shape[0] = 4;
    wrong[1].says = "\"bias\" has another shape";
    wrong[2].t[1].dims = 2;
    wrong[2].says = "\"bias\" has another shape";
    wrong[3].n = TENSORS - 1;
    wrong[3].says = "has 3 tensors and the model has 2";
    fill(50);
    for (int i = 0; i < 4; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(checkpoint_load(dir, wrong[i].t, wrong[i].n, NULL, &err),
                         STATUS_INPUT);
        if (!strstr(err.text, wrong[i].says) || !strstr(err.text, "trained with"))
            fail_msg("\"%s\" does not say \"%s\"", err.text, wrong[i].says);
        assert_float_equal(wte[0], 50, 0);
    }
}

static void other_dtypes_are_refused(void **state)
{
    (void)state;
    uint64_t shape[] = {1};
    double data = 1;
    struct safetensor t = {.name = "w",
                           .dtype = SAFETENSORS_DTYPE_F64,
                           .shape = shape,
                           .dims = 1,
                           .data = &data};
    assert_int_equal(safetensors_write(path, &t, 1, NULL, 0, NULL), STATUS_OK);
    float w;
    struct checkpoint_tensor want = {.name = "w", .dims = 1, .shape = {1}, .data = &w};
    struct err err = ERR_INIT;
    assert_int_equal(checkpoint_load(dir, &want, 1, NULL, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "is not F32"));
}

static void a_file_without_a_good_step_says_minus_one(void **state)
{
    (void)state;
    static const char *const steps[] = {"", "-3", "x", "7x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct safetensors_pair m = {.key = "gait.step", .value = steps[i]};
        assert_int_equal(safetensors_write(path, NULL, 0, &m, i > 0, NULL), STATUS_OK);
        int64_t step = 0;
        assert_int_equal(checkpoint_load(dir, NULL, 0, &step, NULL), STATUS_OK);
        assert_int_equal(step, -1);
    }
}

static void missing_places_say_what_to_do(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(checkpoint_load("/nonexistent", model, TENSORS, NULL, &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "check the path"));
    assert_int_equal(checkpoint_save("/nonexistent/a/b", &about, model, TENSORS, 0, &err),
                     STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "make it first"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_loaded),
        cmocka_unit_test(a_folder_is_checked_before_it_is_needed),
        cmocka_unit_test(the_file_says_what_it_is_and_what_is_needed_to_use_it),
        cmocka_unit_test(another_model_is_refused_and_changes_nothing),
        cmocka_unit_test(other_dtypes_are_refused),
        cmocka_unit_test(a_file_without_a_good_step_says_minus_one),
        cmocka_unit_test(missing_places_say_what_to_do),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
