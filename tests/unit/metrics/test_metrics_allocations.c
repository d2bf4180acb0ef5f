/* A step's metrics allocate nothing; with a trainer's own that is train/test_allocations.
 * malloc and its relatives are replaced in this program and count every call. */
#include "metrics_fixture.h"

#include "base/log.h"
#include "metric_sample.h"
#include "metrics/metric_outlets.h"
#include "metrics/metrics.h"

#if defined(__has_feature) /* clang's way to tell */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REPLACES_MALLOC
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACES_MALLOC
#endif

#ifdef REPLACES_MALLOC
/* A sanitizer replaces malloc itself. */
int main(void)
{
    return 77; /* skipped */
}
#else

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

static long allocations;

void *malloc(size_t bytes)
{
    allocations++;
    return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    allocations++;
    return __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    allocations++;
    return __libc_realloc(p, bytes);
}

static void logging_steps_allocates_nothing(void **state)
{
    struct folder *d = *state;
    struct metrics m;
    long before = allocations;
    assert_int_equal(metrics_open(&m, d->dir, 0, NULL), STATUS_OK);
    assert_true(allocations > before); /* the count sees them */
    before = allocations;
    for (int64_t step = 0; step < 3000; step++) {
        metrics_scalar(&m, "train/loss", step, 1.0 / (double)(step + 3));
        metrics_scalar(&m, "train/learning_rate", step, 1e-300);
        metrics_scalar(&m, "memory/peak_rss_bytes", step, 1e12);
        if (step % 10 == 0)
            metrics_scalar(&m, "validation/loss", step, 1e300);
        metrics_commit(&m, step);
    }
    assert_int_equal(allocations - before, 0);
    metrics_close(&m);
}

static void showing_values_allocates_nothing(void **state)
{
    (void)state;
    struct metric_outlets *m;
    const struct metric_outlets_options o = {
        .port = 0, .address = "127.0.0.1", .file = "", .otlp = {.url = ""}};
    struct metric_values v = sample_values(1);
    log_mute(true);
    assert_int_equal(metric_outlets_open(&m, &o, &sample_set, &v, NULL), STATUS_OK);
    log_mute(false);
    long before = allocations;
    for (int step = 0; step < 3000; step++) {
        metric_set_value(&v, 0, step);
        metric_outlets_put(m, &v);
    }
    assert_int_equal(allocations - before, 0);
    metric_outlets_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_folder(logging_steps_allocates_nothing),
        cmocka_unit_test(showing_values_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
