#include "base/path.h"
#include "checkpoint_fixture.h"

#include <sys/resource.h>
#include <sys/stat.h>

static char *in_dir(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void what_was_saved_is_loaded(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    save_well(1234, 0);
    assert_int_equal(load_latest(&err), 1234);
    save_well(5678, 0);
    assert_int_equal(load_latest(&err), 5678);
    assert_int_equal(load(in_dir("step-00001234"), &err), 1234);
}

static void everything_beside_the_tensors_comes_back(void **state)
{
    (void)state;
    struct checkpoint c;
    save_well(7, 0);
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000007"), NULL), STATUS_OK);
    assert_int_equal(c.step, 7);
    assert_string_equal(c.optimizer, "adamw");
    assert_string_equal(checkpoint_position(&c, "epoch"), "2");
    assert_string_equal(checkpoint_position(&c, "é\n"), "\"x\"");
    assert_null(checkpoint_position(&c, "batch"));
    assert_int_equal(json_int_or(json_get(c.settings, "seed"), 0), 7);
    assert_memory_equal(&c.model, &small_shape, sizeof small_shape);
    char *tokenizer, *text;
    size_t len;
    assert_int_equal(checkpoint_tokenizer(&tokenizer, &c, NULL), STATUS_OK);
    assert_int_equal(file_read(&text, &len, tokenizer, 100, NULL), STATUS_OK);
    assert_string_equal(text, "{\"words\": []}");
    mem_free(text);
    mem_free(tokenizer);
    checkpoint_close(&c);
}

/* The names are those of Hugging Face's GPT-2 and the layout is not: the file must not
 * pass for one of theirs. */
static void the_files_say_what_they_are(void **state)
{
    (void)state;
    struct safetensors_file f;
    save_well(7, 0);
    assert_int_equal(
        safetensors_open(&f, in_dir("step-00000007/model.safetensors"), NULL), STATUS_OK);
    assert_string_equal(safetensors_metadata(&f.header, "format"), "gait");
    assert_string_equal(safetensors_metadata(&f.header, "layout"),
                        "linear weights are (outputs, inputs)");
    assert_string_equal(
        safetensors_metadata(&f.header, "model"),
        "{\"family\":\"gpt2\",\"layers\":4,\"heads\":2,\"kv_heads\":2,\"width\":8,"
        "\"hidden\":32,\"context\":16,\"vocab\":65,\"bias\":true,\"tied\":true,"
        "\"norm_epsilon\":1e-05}");
    assert_string_equal(safetensors_metadata(&f.header, "xxh3.wte"),
                        content_hash_of(wte, sizeof wte).s);
    safetensors_close(&f);
    assert_int_equal(
        safetensors_open(&f, in_dir("step-00000007/optimizer.safetensors"), NULL),
        STATUS_OK);
    assert_string_equal(safetensors_metadata(&f.header, "step"), "7");
    assert_string_equal(safetensors_metadata(&f.header, "optimizer"), "adamw");
    safetensors_close(&f);
}

static void a_part_of_the_tensors_can_be_loaded(void **state)
{
    (void)state;
    struct checkpoint c;
    struct err err = ERR_INIT;
    save_well(3, 0);
    fill(50);
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000003"), NULL), STATUS_OK);
    assert_int_equal(checkpoint_load(&c, CHECKPOINT_WEIGHTS, weights + 1, 1, &err),
                     STATUS_OK);
    checkpoint_close(&c);
    assert_float_equal(bias[1], 4, 0);
    assert_float_equal(wte[0], 350, 0);
}

static void weights_alone_can_be_saved(void **state)
{
    (void)state;
    struct checkpoint c;
    struct err err = ERR_INIT;
    struct checkpoint_state s = state_of(9);
    s.write_tokenizer = NULL;
    s.settings = NULL;
    s.positions = 0;
    assert_int_equal(checkpoint_save(dir, &s, weights, TENSORS, NULL, 0, 0, &err),
                     STATUS_OK);
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000009"), &err), STATUS_OK);
    assert_string_equal(c.optimizer, "");
    char *tokenizer;
    assert_int_equal(checkpoint_tokenizer(&tokenizer, &c, NULL), STATUS_OK);
    assert_null(tokenizer);
    assert_null(c.settings);
    assert_int_equal(checkpoint_load(&c, CHECKPOINT_WEIGHTS, weights, TENSORS, &err),
                     STATUS_OK);
    assert_int_equal(checkpoint_load(&c, CHECKPOINT_MOMENTS, moments, TENSORS, &err),
                     STATUS_INPUT);
    assert_non_null(strstr(err.text, "was saved without optimizer.safetensors"));
    checkpoint_close(&c);
}

static void another_model_is_named_field_by_field(void **state)
{
    (void)state;
    struct checkpoint c;
    struct err err = ERR_INIT;
    struct model_shape here = small_shape;
    here.layers = 6;
    here.bias = false;
    save_well(1, 0);
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000001"), NULL), STATUS_OK);
    assert_int_equal(checkpoint_check_model(&c, &small_shape, &err), STATUS_OK);
    assert_int_equal(checkpoint_check_model(&c, &here, &err), STATUS_INPUT);
    assert_non_null(strstr(
        err.text, "layers 6 here, 4 in the file; bias false here, true in the file"));
    checkpoint_close(&c);
}

static void wrong_tensors_are_refused_before_anything_changes(void **state)
{
    (void)state;
    struct checkpoint c;
    struct checkpoint_tensor wrong[3][TENSORS];
    static const char *const says[] = {"\"scale\" is missing",
                                       "\"bias\" has another shape",
                                       "\"bias\" has another shape"};
    for (int i = 0; i < 3; i++)
        memcpy(wrong[i], weights, sizeof weights);
    wrong[0][2].name = "scale";
    wrong[1][1].shape[0] = 4;
    wrong[2][1].dims = 2;
    save_well(1, 0);
    puts_done = 0;
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000001"), NULL), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(checkpoint_load(&c, CHECKPOINT_WEIGHTS, wrong[i], TENSORS, &err),
                         STATUS_INPUT);
        if (!strstr(err.text, says[i]) || !strstr(err.text, "trained with"))
            fail_msg("\"%s\" does not say \"%s\"", err.text, says[i]);
    }
    assert_int_equal(puts_done, 0);
    checkpoint_close(&c);
}

static void only_the_last_few_are_kept(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    for (int64_t step = 100; step <= 500; step += 100)
        save_well(step, 2);
    assert_false(file_exists(in_dir("step-00000300")));
    assert_true(file_exists(in_dir("step-00000400")));
    assert_true(file_exists(in_dir("step-00000500")));
    /* a run that began again: what it saves last is kept, whatever its step */
    save_well(50, 2);
    assert_true(file_exists(in_dir("step-00000050")));
    assert_true(file_exists(in_dir("step-00000500")));
    assert_false(file_exists(in_dir("step-00000400")));
    assert_int_equal(load_latest(&err), 50);
    save_well(60, 1);
    assert_false(file_exists(in_dir("step-00000050")));
    assert_int_equal(load_latest(&err), 60);
}

static void saving_a_step_again_replaces_it(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct checkpoint_state s = state_of(5);
    save_well(5, 0);
    s.positions = 0;
    assert_int_equal(
        checkpoint_save(dir, &s, weights, TENSORS, moments, TENSORS, 0, &err), STATUS_OK);
    struct checkpoint c;
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000005"), NULL), STATUS_OK);
    assert_null(checkpoint_position(&c, "epoch"));
    checkpoint_close(&c);
    assert_int_equal(load_latest(&err), 5);
    assert_int_equal(unlink(in_dir("latest")), 0);
    durable_remove(in_dir("step-00000005"), NULL);
    assert_int_equal(rmdir(dir), 0); /* and nothing else is left */
}

static void a_folder_is_checked_before_it_is_needed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(checkpoint_check(dir, &err), STATUS_OK);
    assert_true(file_is_dir(dir));
    assert_int_equal(checkpoint_check(dir, &err), STATUS_OK);
    assert_int_not_equal(checkpoint_check("/proc/nothere/a", &err), STATUS_OK);
    assert_non_null(strstr(err.text, "make the folder /proc/nothere/a"));
    assert_int_equal(checkpoint_check("/dev/null", &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "name a folder"));
    struct checkpoint_state s = state_of(1);
    assert_int_not_equal(checkpoint_save("/proc/nothere/a", &s, weights, TENSORS, moments,
                                         TENSORS, 0, &err),
                         STATUS_OK);
    assert_non_null(strstr(err.text, "make the folder /proc/nothere/a"));
}

static void a_user_may_name_the_step_or_the_folder_above(void **state)
{
    (void)state;
    struct strbuf path;
    struct err err = ERR_INIT;
    strbuf_init(&path);
    assert_int_equal(checkpoint_resolve(&path, dir, &err), STATUS_INPUT);
    assert_non_null(strstr(err.text, "does not exist"));
    save_well(1, 0);
    save_well(2, 0);
    assert_int_equal(checkpoint_resolve(&path, dir, &err), STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000002");
    assert_int_equal(checkpoint_resolve(&path, in_dir("step-00000001/"), &err),
                     STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000001");
    strbuf_release(&path);
}

enum { LARGE = 30000000, SECOND_COPY_MAX_KIB = 24 << 10 };
static int64_t numbers_got, numbers_wrong;

static float large_number(int64_t k)
{
    return (float)(k % 8191);
}

static void get_large(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                      float *out)
{
    (void)t;
    for (int64_t k = 0; k < n; k++)
        out[k] = large_number(first + k);
}

static void put_large(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                      const float *in)
{
    (void)t;
    for (int64_t k = 0; k < n; k++)
        numbers_wrong += in[k] != large_number(first + k);
    numbers_got += n;
}

static long peak_kib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

/* 120 MB of weights that exist nowhere but in the file. */
static void a_large_model_needs_no_second_copy(void **state)
{
    (void)state;
    struct checkpoint c;
    struct err err = ERR_INIT;
    struct checkpoint_state s = state_of(1);
    struct checkpoint_tensor t = {.name = "large",
                                  .dims = 2,
                                  .shape = {1000, LARGE / 1000},
                                  .get = get_large,
                                  .put = put_large};
    long before = peak_kib();
    assert_int_equal(checkpoint_save(dir, &s, &t, 1, NULL, 0, 0, &err), STATUS_OK);
    assert_int_equal(checkpoint_open(&c, in_dir("step-00000001"), &err), STATUS_OK);
    assert_int_equal(checkpoint_load(&c, CHECKPOINT_WEIGHTS, &t, 1, &err), STATUS_OK);
    checkpoint_close(&c);
    assert_int_equal(numbers_got, LARGE);
    assert_int_equal(numbers_wrong, 0);
    print_message("%ld KiB beside the model\n", peak_kib() - before);
    assert_true(peak_kib() - before < SECOND_COPY_MAX_KIB);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(what_was_saved_is_loaded),
        TEST(everything_beside_the_tensors_comes_back),
        TEST(the_files_say_what_they_are),
        TEST(a_part_of_the_tensors_can_be_loaded),
        TEST(weights_alone_can_be_saved),
        TEST(another_model_is_named_field_by_field),
        TEST(wrong_tensors_are_refused_before_anything_changes),
        TEST(only_the_last_few_are_kept),
        TEST(saving_a_step_again_replaces_it),
        TEST(a_folder_is_checked_before_it_is_needed),
        TEST(a_large_model_needs_no_second_copy),
        TEST(a_user_may_name_the_step_or_the_folder_above),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
