/*
 * What a crash or a full disk leaves. Every system call of a save is made the last one of
 * the process, and then the one that fails; after each, `latest` must load and nothing
 * half-done may stay. The order of fsync and rename, which only a power cut would test,
 * is read off the calls.
 */
#include "base/path.h"
#include "checkpoint/step_folder.h"
#include "checkpoint_fixture.h"
#include "faulty_calls.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* In memory where that is possible: thousands of fsyncs. */
static int make_top_in_memory(void **state)
{
    (void)state;
    return make_top_in(access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
}

/* Names in dir that have this in them. */
static int names_with(const char *part)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += strstr(e->d_name, part) != NULL;
    closedir(d);
    return n;
}

static int temporaries(void)
{
    return names_with(".tmp");
}

/* How many calls a save of this step makes, on top of what stands in dir. */
static long calls_of_save(int64_t step, int64_t keep)
{
    calls_arm(FAULT_NONE, 0, 0);
    save_well(step, keep);
    calls.armed = false;
    return calls.n;
}

/* Save in a process that ends at its call k; returns whether it did. */
static bool save_and_crash(int64_t step, int64_t keep, long k)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        calls_arm(FAULT_CRASH, k, 0);
        _exit(save(step, keep, NULL) == STATUS_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == CRASHED || WEXITSTATUS(status) == 0);
    return WEXITSTATUS(status) == CRASHED;
}

static void latest_is_one_of(int64_t before, int64_t after, long k)
{
    struct err err = ERR_INIT;
    int64_t found = load_latest(&err);
    if (found != before && found != after)
        fail_msg("after call %ld latest is %lld: %s", k, (long long)found, err.text);
}

/* A save of step `next` over checkpoints 1 and 2, ended at each of its calls. */
static void crash_everywhere(int64_t next, int64_t keep)
{
    remove_dir(NULL);
    save_well(1, 0);
    save_well(2, 0);
    long n = calls_of_save(next, keep);
    assert_true(n > 15);
    for (long k = 1; k <= n; k++) {
        remove_dir(NULL);
        save_well(1, 0);
        save_well(2, 0);
        assert_true(save_and_crash(next, keep, k));
        latest_is_one_of(2, next, k);
        save_well(next + 1, keep); /* the next run goes on and cleans up */
        latest_is_one_of(next + 1, next + 1, k);
        assert_int_equal(temporaries() + names_with(".gait-old"), 0);
    }
    print_message("a save of %ld calls, ended at each\n", n);
}

static void a_crash_at_any_call_leaves_a_latest_that_loads(void **state)
{
    (void)state;
    crash_everywhere(3, 2);
    crash_everywhere(3, 1);
}

static void a_crash_while_a_step_is_saved_again_leaves_one_of_the_two(void **state)
{
    (void)state;
    crash_everywhere(2, 2);
}

static void a_crash_in_the_first_save_leaves_nothing_or_all(void **state)
{
    (void)state;
    struct strbuf path;
    strbuf_init(&path);
    long n = calls_of_save(1, 0);
    for (long k = 1; k <= n; k++) {
        struct err err = ERR_INIT;
        remove_dir(NULL);
        assert_true(save_and_crash(1, 0, k));
        int64_t found = load_latest(&err);
        if (found < 0) { /* complete, and the crash came before `latest` was written */
            assert_non_null(
                strstr(err.text, "newest intact checkpoint is step-00000001"));
            assert_int_equal(checkpoint_find_intact(&path, dir, NULL, &err), STATUS_OK);
            assert_int_equal(load(path.s, &err), 1);
        }
        save_well(2, 0);
        latest_is_one_of(2, 2, k);
        assert_int_equal(temporaries(), 0);
    }
    strbuf_release(&path);
}

/* A save that failed has left no folder of its own: each would hold the room of one. */
static void latest_is_the_newest(long k)
{
    struct step_folder *f;
    size_t n;
    char name[STEP_FOLDER_NAME_MAX];
    int64_t latest, newest = -1;
    assert_int_equal(latest_read(name, dir, NULL), STATUS_OK);
    assert_true(step_folder_parse(name, &latest));
    assert_int_equal(step_folders_list(&f, &n, dir, NULL), STATUS_OK);
    for (size_t i = 0; i < n; i++)
        newest = f[i].step > newest ? f[i].step : newest;
    mem_free(f);
    if (newest != latest)
        fail_msg("call %ld failed: step %lld stays, latest is %lld", k, (long long)newest,
                 (long long)latest);
}

/* Every call fails once, or from then on as on a full disk. */
static void fail_everywhere(enum fault fault, int error, int64_t next)
{
    remove_dir(NULL);
    save_well(1, 0);
    save_well(2, 0);
    long n = calls_of_save(next, 1);
    for (long k = 1; k <= n; k++) {
        struct err err = ERR_INIT;
        remove_dir(NULL);
        save_well(1, 0);
        save_well(2, 0);
        calls_arm(fault, k, error);
        enum status st = save(next, 1, &err);
        calls.armed = false;
        enum call failed = calls.note[k - 1].call;
        if (st) {
            assert_int_equal(st, STATUS_ENVIRONMENT);
            assert_non_null(strstr(err.text, strerror(error)));
            assert_non_null(strstr(err.text, dir));
        }
        if (st && failed != CALL_REMOVE)
            assert_int_equal(temporaries(), 0);
        if (st && fault == FAULT_FAIL) { /* later calls work: nothing else is left */
            latest_is_the_newest(k);
            assert_int_equal(names_with(".gait-old"), 0);
        }
        /* the rename of `latest` is done and only its folder's fsync failed: both good */
        latest_is_one_of(st ? 2 : next, next, k);
    }
}

static void a_call_that_fails_leaves_the_old_checkpoint(void **state)
{
    (void)state;
    fail_everywhere(FAULT_FAIL, EIO, 3);
    fail_everywhere(FAULT_FAIL, ENOSPC, 2);
}

static void a_full_disk_leaves_the_old_checkpoint(void **state)
{
    (void)state;
    fail_everywhere(FAULT_FAIL_ON, ENOSPC, 3);
    fail_everywhere(FAULT_FAIL_ON, EDQUOT, 2);
}

/* The old folder steps aside, then the new one takes its name: a crash between these two
 * renames leaves nothing under the name that `latest` has. */
static void the_same_where_names_cannot_be_exchanged(void **state)
{
    (void)state;
    calls.no_exchange = true;
    crash_everywhere(2, 2);
    fail_everywhere(FAULT_FAIL, EIO, 2);
    fail_everywhere(FAULT_FAIL_ON, ENOSPC, 2);
    calls.no_exchange = false;
}

/* Is there a call of this kind with this path in notes [from, to)? -1 where not. */
static long find_call(enum call call, const char *path, long from, long to)
{
    for (long i = from; i < to; i++)
        if (calls.note[i].call == call && !strcmp(calls.note[i].path, path))
            return i;
    return -1;
}

/* The first rename to this name; its old name is in calls.note. */
static long find_rename_to(const char *to, long end)
{
    for (long i = 0; i < end; i++)
        if (calls.note[i].call == CALL_RENAME && !strcmp(calls.note[i].to, to))
            return i;
    fail_msg("nothing was renamed to %s", to);
    return -1;
}

/* The last call that has to do with a path that begins so. */
static long last_call(enum call call, const char *prefix, long to)
{
    for (long i = to; i-- > 0;)
        if (calls.note[i].call == call &&
            !strncmp(calls.note[i].path, prefix, strlen(prefix)))
            return i;
    return -1;
}

static void check_synced_before(const char *folder, long rename)
{
    static const char *const files[] = {"model.safetensors", "optimizer.safetensors",
                                        "tokenizer.json", "state.json"};
    long last = -1;
    for (int i = 0; i < 4; i++) {
        char *path = path_join(folder, files[i]);
        long written = last_call(CALL_WRITE, path, rename);
        assert_true(written >= 0);
        long synced = find_call(CALL_SYNC, path, written, rename);
        assert_true(synced > written);
        last = synced > last ? synced : last;
        mem_free(path);
    }
    assert_true(find_call(CALL_SYNC, folder, last, rename) > last);
}

static void everything_is_on_disk_before_it_is_named(void **state)
{
    (void)state;
    char *step = path_join(dir, "step-00000002"), *latest = path_join(dir, "latest");
    save_well(1, 0);
    calls_of_save(2, 1);
    long n = calls.n < CALLS_MAX ? calls.n : CALLS_MAX;
    long placed = find_rename_to(step, n), named = find_rename_to(latest, n);
    const char *temporary = calls.note[named].path;
    assert_true(placed > 0);
    check_synced_before(calls.note[placed].path, placed);
    assert_true(named > placed);
    char dir_slash[80];
    snprintf(dir_slash, sizeof dir_slash, "%s", dir);
    assert_true(find_call(CALL_SYNC, dir_slash, placed, named) > placed);
    assert_true(last_call(CALL_SYNC, temporary, named) > placed);

    long synced = find_call(CALL_SYNC, dir_slash, named, n);
    assert_true(synced > named);
    char *old = path_join(dir, "step-00000001");
    long removed = find_call(CALL_RENAME, old, 0, n);
    assert_true(removed > synced);
    mem_free(old);
    mem_free(latest);
    mem_free(step);
    for (long i = 0; i < synced; i++)
        assert_true(calls.note[i].call != CALL_REMOVE);
}

/* After a failed fsync nobody knows which name the disk holds: the only checkpoint that
 * is surely there is not removed. */
static void a_step_stays_where_its_successor_is_not_surely_on_disk(void **state)
{
    (void)state;
    struct stat before, after;
    for (int i = 0; i < 2; i++) {
        calls.no_exchange = i == 1;
        remove_dir(NULL);
        save_well(2, 0);
        char *step = path_join(dir, "step-00000002");
        assert_int_equal(stat(step, &before), 0);
        long n = calls_of_save(2, 1);
        long named = find_rename_to(step, n);
        long synced = find_call(CALL_SYNC, dir, named, n);
        assert_true(synced > named);
        assert_int_equal(stat(step, &before), 0);
        calls_arm(FAULT_FAIL, synced + 1, EIO);
        assert_int_equal(save(2, 1, NULL), STATUS_ENVIRONMENT);
        calls.armed = false;
        assert_int_equal(stat(step, &after), 0);
        assert_int_equal(after.st_ino, before.st_ino);
        assert_int_equal(temporaries(), 0);
        mem_free(step);
    }
    calls.no_exchange = false;
}

/* A process that does nothing but save is killed wherever it is. */
static void a_killed_run_leaves_a_latest_that_loads(void **state)
{
    (void)state;
    enum { ROUNDS = 60 };
    int64_t first = 1, seen = 0;
    save_well(first, 2);
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            for (int64_t step = first + 1;; step++)
                if (save(step, 2, NULL))
                    _exit(1);
        }
        struct timespec t = {.tv_nsec = rand() % 40000000L};
        nanosleep(&t, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        struct err err = ERR_INIT;
        int64_t found = load_latest(&err);
        if (found < first)
            fail_msg("round %d: %lld after %lld: %s", round, (long long)found,
                     (long long)first, err.text);
        seen += found > first;
        first = found;
    }
    print_message("%lld of %d killed runs had saved, %lld checkpoints in all\n",
                  (long long)seen, ROUNDS, (long long)first);
    assert_true(seen > 0);
}

/* A limit on file sizes: the writes of libc and ours alike fail with EFBIG. */
static void a_file_that_may_not_grow_is_an_error(void **state)
{
    (void)state;
    struct rlimit before, small;
    struct err err = ERR_INIT;
    save_well(1, 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000000; /* a part of the weights */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum status st = save(2, 1, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(st, STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "model.safetensors"));
    assert_int_equal(temporaries(), 0);
    latest_is_one_of(1, 1, 0);
}

static void what_a_living_process_writes_is_left_alone(void **state)
{
    (void)state;
    char path[160];
    save_well(1, 0);
    snprintf(path, sizeof path, "%s/step-00000009.tmp-%ld", dir, (long)getppid());
    assert_int_equal(mkdir(path, 0777), 0);
    save_well(2, 0);
    assert_true(file_exists(path));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, remove_dir)
    const struct CMUnitTest tests[] = {
        TEST(a_crash_at_any_call_leaves_a_latest_that_loads),
        TEST(a_crash_while_a_step_is_saved_again_leaves_one_of_the_two),
        TEST(a_crash_in_the_first_save_leaves_nothing_or_all),
        TEST(a_call_that_fails_leaves_the_old_checkpoint),
        TEST(a_full_disk_leaves_the_old_checkpoint),
        TEST(the_same_where_names_cannot_be_exchanged),
        TEST(everything_is_on_disk_before_it_is_named),
        TEST(a_step_stays_where_its_successor_is_not_surely_on_disk),
        TEST(a_killed_run_leaves_a_latest_that_loads),
        TEST(a_file_that_may_not_grow_is_an_error),
        TEST(what_a_living_process_writes_is_left_alone),
    };
    return cmocka_run_group_tests(tests, make_top_in_memory, remove_top);
}
