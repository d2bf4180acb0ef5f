/*
 * A step allocates nothing. malloc and its relatives are replaced in this program and
 * count every call of the process, whoever makes it: ours, OpenMP's, oneDNN's.
 */
#include "base/log.h"
#include "live/live_list.h"
#include "probe/probe.h"
#include "train/progress.h"
#include "train/publish.h"
#include "train/trainer.h"
#include "train_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* A sanitizer replaces malloc itself. */
int main(void)
{
    return 77; /* skipped */
}
#else

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static atomic_long allocations;

void *malloc(size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(align, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    *out = __libc_memalign(align, bytes);
    return *out ? 0 : ENOMEM;
}

static void the_count_sees_an_allocation(void **state)
{
    (void)state;
    long before = atomic_load(&allocations);
    void *volatile p = malloc(100);
    free(p);
    assert_int_equal(atomic_load(&allocations) - before, 1);
}

/* Allocations of these steps, progress lines, status for `gait top`, metrics and all; the
 * lines go nowhere. */
static long count_steps(struct trainer *t, struct progress *p, struct publisher *top,
                        int64_t first, int64_t end)
{
    struct usage usage = {0};
    struct err err = ERR_INIT;
    struct step_report report;
    enum status s = STATUS_OK;
    int screen = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    long before = atomic_load(&allocations);
    for (int64_t step = first; step < end && s == STATUS_OK; step++) {
        s = trainer_step(t, step, &report, &err);
        progress_step(p, step, &report, 1000000);
        publish_step(top, step, &report, 1000000, &usage);
        publish_begin(top, LIVE_DOING_SAVING); /* writes at once */
        top->took_ns[LIVE_DOING_SAVING] = 0;
    }
    long made = atomic_load(&allocations) - before;
    dup2(screen, STDERR_FILENO);
    close(screen);
    close(nowhere);
    assert_int_equal(s, STATUS_OK);
    return made;
}

/* Else nothing was counted of the writing. */
static void assert_status_is_written(const struct publisher *top)
{
    struct live_entry e;
    struct err err = ERR_INIT;
    assert_non_null(top->file.path);
    assert_int_equal(live_entry_read(&e, top->file.path, &err), STATUS_OK);
    assert_int_equal(e.status.doing, LIVE_DOING_SAVING);
    assert_int_equal(e.status.pid, getpid());
}

static void train_and_count(const char *engine, int64_t top_k)
{
    struct config c;
    struct trainer t;
    struct progress progress;
    struct publisher publisher = {0};
    struct err err = ERR_INIT;
    struct evaluation e;
    small_config(&c);
    c.steps = 100;
    c.top_k = top_k;
    c.width = 64;
    c.context = 32;
    c.metrics_port = 0;
    assert_int_equal(config_set(&c, "engine", engine, &err), STATUS_OK);
    assert_int_equal(trainer_open(&t, &c, &err), STATUS_OK);
    progress_init(&progress, &t);
    assert_int_equal(publish_open(&publisher, &t, "a small model", &err), STATUS_OK);
    count_steps(&t, &progress, &publisher, 0, 5);
    assert_int_equal(trainer_evaluate(&t, &e, &err), STATUS_OK);
    assert_int_equal(count_steps(&t, &progress, &publisher, 5, 25), 0);
    assert_status_is_written(&publisher);
    long before = atomic_load(&allocations);
    assert_int_equal(trainer_evaluate(&t, &e, &err), STATUS_OK);
    assert_int_equal(atomic_load(&allocations) - before, 0);
    probe_start(1, 100000);
    assert_int_equal(count_steps(&t, &progress, &publisher, 25, 45), 0);
    probe_stop();
    publish_close(&publisher, STATUS_OK, &err);
    trainer_close(&t, STATUS_OK);
    config_release(&c);
}

static void twenty_steps_with_onednn_allocate_nothing(void **state)
{
    (void)state;
    train_and_count("onednn", 0);
    train_and_count("own", 0);
}

static void twenty_steps_with_the_reference_allocate_nothing(void **state)
{
    (void)state;
    train_and_count("reference", 0);
}

static void twenty_steps_that_rank_their_tensors_allocate_nothing(void **state)
{
    (void)state;
    train_and_count("onednn", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_count_sees_an_allocation),
        cmocka_unit_test(twenty_steps_with_onednn_allocate_nothing),
        cmocka_unit_test(twenty_steps_with_the_reference_allocate_nothing),
        cmocka_unit_test(twenty_steps_that_rank_their_tensors_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
