/* Checkpoints that are not what was written: each is noticed, named, and changes nothing;
 * what can be used instead is named too. */
#include "base/path.h"
#include "checkpoint/weights_source.h"
#include "checkpoint_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

static char *in_dir(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* Turn one bit of a file, `at` bytes before its end. */
static void turn_bit(const char *name, off_t at)
{
    unsigned char byte;
    int fd = open(in_dir(name), O_RDWR);
    assert_true(fd >= 0);
    off_t place = lseek(fd, -at, SEEK_END);
    assert_true(place >= 0);
    assert_int_equal(pread(fd, &byte, 1, place), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, place), 1);
    close(fd);
}

static void expect(const struct err *err, const char *says)
{
    if (!strstr(err->text, says))
        fail_msg("\"%s\" does not say \"%s\"", err->text, says);
}

static void a_damaged_tensor_is_named_and_the_older_checkpoint_too(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    save_well(100, 0);
    save_well(200, 0);
    turn_bit("step-00000200/model.safetensors", 12);
    puts_done = 0;
    assert_int_equal(load_latest(&err), -1);
    assert_int_equal(puts_done, 0);
    expect(&err, "step-00000200/model.safetensors: the bytes of tensor \"wte\"");
    expect(&err, "use an older checkpoint: ");
    expect(&err, "/step-00000100 is intact");
    turn_bit("step-00000100/optimizer.safetensors", 1);
    assert_int_equal(load_latest(&err), -1);
    expect(&err, "there is no other intact checkpoint in ");
}

static void a_damaged_moment_is_noticed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    save_well(100, 0);
    save_well(200, 0);
    turn_bit("step-00000200/optimizer.safetensors", 12);
    assert_int_equal(load_latest(&err), -1);
    expect(&err, "step-00000200/optimizer.safetensors: the bytes of tensor \"m.wte\"");
    expect(&err, "/step-00000100 is intact");
}

/* A bit of any file, at every place of the small ones and of the headers. */
static void no_bit_can_turn_unnoticed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        off_t data; /* bytes of data at the end, of which a few are tried */
    } files[] = {{"step-00000001/state.json", 0},
                 {"step-00000001/tokenizer.json", 0},
                 {"step-00000001/model.safetensors", sizeof wte + sizeof bias + 4},
                 {"step-00000001/optimizer.safetensors", sizeof wte + sizeof bias + 4}};
    save_well(1, 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct stat s;
        assert_int_equal(stat(in_dir(files[i].name), &s), 0);
        for (off_t at = 1; at <= s.st_size; at++) {
            if (at > 1 && at == 4 && files[i].data)
                at = files[i].data - 2; /* the last bytes, then the first and on */
            turn_bit(files[i].name, at);
            struct checkpoint c;
            enum status st = checkpoint_open(&c, in_dir("step-00000001"), NULL);
            if (!st) {
                st = checkpoint_verify(&c, NULL);
                checkpoint_close(&c);
            }
            if (st != STATUS_INPUT)
                fail_msg("%s: %lld bytes before its end", files[i].name, (long long)at);
            turn_bit(files[i].name, at);
        }
    }
    struct err err = ERR_INIT;
    assert_int_equal(load_latest(&err), 1);
}

/* Sampling, init_from and exporting use the tokenizer without the rest of a training. */
static void a_damaged_tokenizer_is_not_used(void **state)
{
    (void)state;
    struct weights_source w;
    struct err err = ERR_INIT;
    save_well(100, 0);
    save_well(200, 0);
    turn_bit("step-00000200/tokenizer.json", 3);
    assert_int_equal(weights_open(&w, dir, &err), STATUS_INPUT);
    expect(&err, "step-00000200/tokenizer.json is not what was written");
    expect(&err, "/step-00000100 is intact");
    turn_bit("step-00000200/tokenizer.json", 3);
    assert_int_equal(weights_open(&w, dir, &err), STATUS_OK);
    weights_close(&w);
}

static void what_can_be_used_is_found_and_what_cannot_is_named(void **state)
{
    (void)state;
    struct err err = ERR_INIT, why;
    struct strbuf path;
    strbuf_init(&path);
    save_well(100, 0);
    save_well(200, 0);
    assert_int_equal(checkpoint_find_usable(&path, dir, &why, &err), STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000200");
    assert_int_equal(why.status, STATUS_OK);
    turn_bit("latest", 2); /* …201 */
    assert_int_equal(checkpoint_find_usable(&path, dir, &why, &err), STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000200");
    expect(&why, "/latest names step-00000201: ");
    turn_bit("latest", 2);
    turn_bit("step-00000200/state.json", 9);
    assert_int_equal(checkpoint_find_usable(&path, dir, &why, &err), STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000100");
    expect(&why, "step-00000200/state.json: its text is not what was written");
    turn_bit("step-00000100/state.json", 9);
    assert_int_equal(checkpoint_find_usable(&path, dir, &why, &err), STATUS_INPUT);
    expect(&err, "no checkpoint in ");
    strbuf_release(&path);
}

static void files_of_two_checkpoints_do_not_mix(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char from[160];
    save_well(100, 0);
    save_well(200, 0);
    snprintf(from, sizeof from, "%s", in_dir("step-00000100/model.safetensors"));
    assert_int_equal(rename(from, in_dir("step-00000200/model.safetensors")), 0);
    assert_int_equal(load_latest(&err), -1);
    expect(&err, "its header is not the one that was written");
    expect(&err, "no checkpoint in ");
}

static void a_missing_latest_is_said_and_the_newest_intact_one_named(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct strbuf path;
    save_well(100, 0);
    save_well(200, 0);
    save_well(300, 0);
    unlink(in_dir("latest"));
    turn_bit("step-00000300/model.safetensors", 1);
    assert_int_equal(load_latest(&err), -1);
    expect(&err, "no file `latest`");
    expect(&err, "the newest intact checkpoint is step-00000200");
    strbuf_init(&path);
    assert_int_equal(checkpoint_find_intact(&path, dir, NULL, &err), STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000200");
    assert_int_equal(checkpoint_find_intact(&path, dir, "step-00000200", &err),
                     STATUS_OK);
    assert_string_equal(path_name(path.s), "step-00000100");
    strbuf_release(&path);
}

static void a_latest_that_names_nothing_good_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "\n",
                                        "step-7",
                                        "../../etc",
                                        "step-00000007\n" /* not there */,
                                        "step-00000100/../step-00000100\n",
                                        "step--0000001",
                                        "step-99999999999999999999"};
    save_well(100, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(file_write(in_dir("latest"), names[i], strlen(names[i]), NULL),
                         STATUS_OK);
        assert_int_equal(load_latest(&err), -1);
        expect(&err, "the newest intact checkpoint is step-00000100");
    }
}

static void a_folder_without_checkpoints_is_no_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(load_latest(&err), 0); /* dir is not there */
    assert_int_equal(mkdir(dir, 0777), 0);
    assert_int_equal(load_latest(&err), 0);
    assert_int_equal(mkdir(in_dir("step-00000001.tmp-1"), 0777), 0);
    assert_int_equal(mkdir(in_dir("step-x"), 0777), 0);
    assert_int_equal(load_latest(&err), 0);
}

static void a_newer_version_is_refused_by_name(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    static const char text[] = "{\"format\": \"gait-checkpoint\", \"version\": 2}";
    save_well(1, 0);
    assert_int_equal(
        file_write(in_dir("step-00000001/state.json"), text, sizeof text - 1, NULL),
        STATUS_OK);
    assert_int_equal(load(in_dir("step-00000001"), &err), -1);
    expect(&err, "version 2");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(a_damaged_tensor_is_named_and_the_older_checkpoint_too),
        TEST(a_damaged_moment_is_noticed),
        TEST(no_bit_can_turn_unnoticed),
        TEST(a_damaged_tokenizer_is_not_used),
        TEST(what_can_be_used_is_found_and_what_cannot_is_named),
        TEST(files_of_two_checkpoints_do_not_mix),
        TEST(a_missing_latest_is_said_and_the_newest_intact_one_named),
        TEST(a_latest_that_names_nothing_good_is_refused),
        TEST(a_folder_without_checkpoints_is_no_error),
        TEST(a_newer_version_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
