/* What is put away comes back whole and in order, wherever it was and whoever wrote it.
 */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "spans/span_pool.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANES = 300, NAMES = 70000, WRITERS = 4 };
enum { ALL_IN_MEMORY = 1 << 30, ALL_IN_FILE = 0 };

/* Each writer's ids differ from the run's in their own way. */
static int32_t lane_map[WRITERS][LANES];
static name_id name_map[WRITERS][NAMES];
static const int32_t *lanes[WRITERS];
static const name_id *names[WRITERS];

static int make_maps(void **state)
{
    (void)state;
    for (int w = 0; w < WRITERS; w++) {
        for (int i = 0; i < LANES; i++)
            lane_map[w][i] = i * 7 + w;
        for (int i = 0; i < NAMES; i++)
            name_map[w][i] = (name_id)(i * 3 + w);
        lanes[w] = lane_map[w];
        names[w] = name_map[w];
    }
    return 0;
}

/* A row as recorded, and where: what a plain sort of everything needs. */
struct recorded {
    struct span span;
    int64_t order, position;
    int writer;
};

struct rows {
    struct recorded *row;
    size_t n, cap;
};

static void rows_release(struct rows *r)
{
    mem_free(r->row);
}

static void rows_add(struct rows *r, struct span span, int64_t order, int writer)
{
    vec_grow(r->row, r->cap, r->n + 1);
    r->row[r->n] = (struct recorded){span, order, (int64_t)r->n, writer};
    r->n++;
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_recorded(const void *a, const void *b)
{
    const struct recorded *x = a, *y = b;
    int c = compare_i64(x->span.begin_ns, y->span.begin_ns);
    c = c ? c : compare_i64(y->span.dur_ns, x->span.dur_ns);
    c = c ? c : compare_i64(x->span.seq, y->span.seq);
    c = c ? c : compare_i64(x->order, y->order);
    return c ? c : compare_i64(x->position, y->position);
}

static void assert_span_is(const struct span *got, const struct recorded *want)
{
    const struct span *s = &want->span;
    assert_int_equal(got->begin_ns, s->begin_ns);
    assert_int_equal(got->dur_ns, s->dur_ns);
    assert_int_equal(got->seq, s->seq);
    assert_int_equal(got->correlation, s->correlation);
    assert_int_equal(got->flop, s->flop);
    assert_int_equal(got->bytes, s->bytes);
    assert_int_equal(got->kind, s->kind);
    assert_int_equal(got->lane, lane_map[want->writer][s->lane]);
    assert_int_equal(got->name, name_map[want->writer][s->name]);
    assert_int_equal(got->shapes, name_map[want->writer][s->shapes]);
    assert_int_equal(got->step, -1);
    assert_int_equal(got->line, 0);
}

/* The pool gives back these rows, which are sorted here. */
static void assert_pool_has(struct span_pool *pool, struct rows *want)
{
    struct err err = ERR_INIT;
    struct span_reader *r = span_reader_new(pool, lanes, names);
    struct span_stream *s = span_reader_stream(r);
    const struct span *rows;
    size_t seen = 0, n;
    if (want->n)
        qsort(want->row, want->n, sizeof *want->row, compare_recorded);
    while ((n = s->next(s, &rows))) {
        assert_true(seen + n <= want->n);
        for (size_t i = 0; i < n; i++)
            assert_span_is(&rows[i], &want->row[seen + i]);
        seen += n;
    }
    assert_int_equal(span_reader_status(r, &err), STATUS_OK);
    assert_int_equal(seen, want->n);
    assert_int_equal(s->next(s, &rows), 0);
    span_reader_free(r);
}

static uint64_t random_state = 88172645463325252U;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Of any size, from a few bits to all 64, and either sign. */
static int64_t random_i64(void)
{
    static const int64_t edge[] = {0,       1,  -1, INT64_MAX, INT64_MIN, INT64_MAX - 1,
                                   1 << 24, 255};
    uint64_t any = random_next();
    if (any % 8 == 0)
        return edge[any >> 8 & 7];
    uint64_t size = random_next() >> (any >> 8 & 63);
    return (int64_t)(any & 128 ? 0 - size : size);
}

static struct span random_span(int64_t begin_ns)
{
    uint64_t any = random_next();
    return (struct span){
        .lane = (int32_t)(any % LANES),
        .kind = (enum span_kind)((any >> 10) % SPAN_KIND_COUNT),
        .name = (name_id)((any >> 16) % NAMES),
        .begin_ns = begin_ns,
        .dur_ns = random_i64(),
        .step = 5,
        .correlation = random_i64(),
        .seq = random_i64(),
        .flop = any >> 60 ? 0 : random_i64(),
        .bytes = any >> 56 & 3 ? 0 : random_i64(),
        .shapes = any >> 59 & 1 ? (name_id)((any >> 40) % NAMES) : 0,
        .line = 9,
    };
}

/* One run of random rows, handed to the writer and noted. */
static void add_run(struct rows *all, struct span_writer *w, int writer, int64_t order,
                    size_t n, int64_t (*begin)(size_t i))
{
    struct err err = ERR_INIT;
    for (size_t i = 0; i < n; i++) {
        struct span s = random_span(begin(i));
        span_writer_add(w, &s);
        rows_add(all, s, order, writer);
    }
    assert_int_equal(span_writer_end_run(w, order, &err), STATUS_OK);
}

static int64_t begin_any(size_t i)
{
    (void)i;
    return random_i64();
}

static int64_t begin_within_a_second(size_t i)
{
    (void)i;
    return (int64_t)(random_next() % 1000000000);
}

static int64_t begin_of_few(size_t i)
{
    (void)i;
    return (int64_t)(random_next() % 3) - 1;
}

static int64_t begin_ascending(size_t i)
{
    return (int64_t)i * 1000;
}

static int64_t begin_of_two_lanes(size_t i)
{
    return (int64_t)(i % 2 ? i : i + 200) * 1000;
}

/* Several runs of one writer; memory of all, some or none. */
static void check_runs(size_t runs, size_t rows_a_run, int64_t (*begin)(size_t i))
{
    static const size_t memory_bytes[] = {ALL_IN_MEMORY, 100000, ALL_IN_FILE};
    for (size_t m = 0; m < 3; m++) {
        struct rows all = {0};
        struct span_pool *pool = span_pool_new(memory_bytes[m], NULL);
        struct span_writer *w = span_writer_new(pool, 1);
        for (size_t i = 0; i < runs; i++)
            add_run(&all, w, 1, (int64_t)i, rows_a_run, begin);
        assert_true(!!span_pool_spilled_bytes(pool) ==
                    (memory_bytes[m] == ALL_IN_FILE ||
                     (memory_bytes[m] < ALL_IN_MEMORY && all.n > 20000)));
        assert_pool_has(pool, &all);
        assert_pool_has(pool, &all); /* a second pass */
        span_writer_free(w);
        span_pool_free(pool);
        rows_release(&all);
    }
}

static void rows_of_any_value_come_back_in_order(void **state)
{
    (void)state;
    check_runs(40, 1000, begin_any);
}

static void runs_that_overlap_entirely_are_merged(void **state)
{
    (void)state;
    check_runs(300, 200, begin_within_a_second);
}

static void ties_go_by_duration_then_seq_then_as_recorded(void **state)
{
    (void)state;
    check_runs(20, 2000, begin_of_few);
}

static void sorted_and_interleaved_runs_come_back_in_order(void **state)
{
    (void)state;
    check_runs(7, 4000, begin_ascending);
    check_runs(7, 4000, begin_of_two_lanes);
}

static void runs_of_one_row_come_back_in_order(void **state)
{
    (void)state;
    check_runs(3000, 1, begin_within_a_second);
    check_runs(3000, 1, begin_of_few);
}

static void equal_rows_keep_the_order_in_which_they_were_recorded(void **state)
{
    (void)state;
    struct rows all = {0};
    struct err err = ERR_INIT;
    struct span_pool *pool = span_pool_new(ALL_IN_FILE, NULL);
    struct span_writer *w = span_writer_new(pool, 0);
    for (int64_t i = 0; i < 5000; i++) {
        struct span s = {.begin_ns = 7, .dur_ns = 3, .flop = i, .kind = SPAN_KIND_OP};
        span_writer_add(w, &s);
        rows_add(&all, s, i / 100, 0);
        if (i % 100 == 99)
            assert_int_equal(span_writer_end_run(w, i / 100, &err), STATUS_OK);
    }
    assert_pool_has(pool, &all);
    span_writer_free(w);
    span_pool_free(pool);
    rows_release(&all);
}

static void a_run_longer_than_a_part_keeps_its_order(void **state)
{
    (void)state;
    struct rows all = {0};
    struct span_pool *pool = span_pool_new(ALL_IN_MEMORY, NULL);
    struct span_writer *w = span_writer_new(pool, 2);
    add_run(&all, w, 2, 5, 2 * SPAN_RUN_ROWS + 77, begin_of_few);
    add_run(&all, w, 2, 4, 100, begin_of_few);
    assert_pool_has(pool, &all);
    span_writer_free(w);
    span_pool_free(pool);
    rows_release(&all);
}

static void an_empty_store_gives_no_rows(void **state)
{
    (void)state;
    struct rows none = {0};
    struct err err = ERR_INIT;
    struct span_pool *pool = span_pool_new(0, "/nonexistent/folder");
    struct span_writer *w = span_writer_new(pool, 0);
    assert_int_equal(span_writer_end_run(w, 0, &err), STATUS_OK);
    assert_pool_has(pool, &none);
    span_pool_free(pool); /* in any order */
    span_writer_free(w);
    span_pool_free(NULL);
    span_writer_free(NULL);
    span_reader_free(NULL);
}

static void a_dropped_run_leaves_no_trace(void **state)
{
    (void)state;
    static const size_t memory_bytes[] = {ALL_IN_MEMORY, ALL_IN_FILE};
    for (size_t m = 0; m < 2; m++) {
        struct rows all = {0};
        struct span_pool *pool = span_pool_new(memory_bytes[m], NULL);
        struct span_writer *w = span_writer_new(pool, 0);
        add_run(&all, w, 0, 0, 500, begin_within_a_second);
        for (size_t i = 0; i < SPAN_RUN_ROWS + 500; i++) {
            struct span s = random_span(begin_any(i));
            span_writer_add(w, &s);
        }
        span_writer_drop_run(w);
        add_run(&all, w, 0, 1, 500, begin_within_a_second);
        assert_pool_has(pool, &all);
        span_writer_free(w);
        span_pool_free(pool);
        rows_release(&all);
    }
}

static void a_reader_left_early_and_a_run_left_open_are_freed(void **state)
{
    (void)state;
    struct rows all = {0};
    struct span_pool *pool = span_pool_new(2000, NULL);
    struct span_writer *w = span_writer_new(pool, 0);
    for (int i = 0; i < 10; i++)
        add_run(&all, w, 0, i, 500, begin_within_a_second);
    struct span_reader *r = span_reader_new(pool, lanes, names);
    const struct span *rows;
    struct span_stream *s = span_reader_stream(r);
    assert_int_not_equal(s->next(s, &rows), 0);
    for (size_t i = 0; i < SPAN_RUN_ROWS + 1; i++)
        span_writer_add(w, &all.row[0].span);
    span_reader_free(r);
    span_writer_free(w);
    span_pool_free(pool);
    rows_release(&all);
}

struct thread {
    pthread_t id;
    struct span_pool *pool;
    int writer;
    struct rows rows;
    enum status status;
};

enum { THREAD_RUNS = 24, THREAD_ROWS = 300 };

/* cmocka's asserts and the shared random numbers are for the main thread: rows are made
 * before. */
static void *write_runs(void *arg)
{
    struct thread *t = arg;
    struct err err = ERR_INIT;
    struct span_writer *w = span_writer_new(t->pool, t->writer);
    for (size_t i = 0; i < t->rows.n && t->status == STATUS_OK; i++) {
        span_writer_add(w, &t->rows.row[i].span);
        if (i % THREAD_ROWS == THREAD_ROWS - 1)
            t->status = span_writer_end_run(w, t->rows.row[i].order, &err);
    }
    span_writer_free(w);
    return NULL;
}

static void several_threads_write_into_one_pool(void **state)
{
    (void)state;
    struct thread t[WRITERS] = {0};
    struct rows all = {0};
    struct span_pool *pool = span_pool_new(200000, NULL);
    for (int w = 0; w < WRITERS; w++) {
        t[w].pool = pool;
        t[w].writer = w;
        for (int i = 0; i < THREAD_RUNS * THREAD_ROWS; i++)
            rows_add(&t[w].rows, random_span(begin_within_a_second(0) / 100000),
                     i / THREAD_ROWS * WRITERS + w, w);
        for (size_t i = 0; i < t[w].rows.n; i++)
            rows_add(&all, t[w].rows.row[i].span, t[w].rows.row[i].order, w);
    }
    for (int w = 0; w < WRITERS; w++)
        assert_int_equal(pthread_create(&t[w].id, NULL, write_runs, &t[w]), 0);
    for (int w = 0; w < WRITERS; w++) {
        pthread_join(t[w].id, NULL);
        assert_int_equal(t[w].status, STATUS_OK);
        rows_release(&t[w].rows);
    }
    assert_true(span_pool_spilled_bytes(pool) > 0);
    assert_pool_has(pool, &all);
    span_pool_free(pool);
    rows_release(&all);
}

static void a_missing_folder_is_told_when_it_is_needed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct span_pool *pool = span_pool_new(0, "/nonexistent/folder");
    struct span_writer *w = span_writer_new(pool, 0);
    struct span s = {.begin_ns = 1};
    span_writer_add(w, &s);
    assert_int_equal(span_writer_end_run(w, 0, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
    assert_non_null(strstr(err.text, "TMPDIR"));
    assert_non_null(strstr(err.text, "--memory"));
    assert_null(strchr(err.text, '\n'));
    span_writer_free(w);
    span_pool_free(pool);
}

/* A limit on the size of files stands for a full disk: what is written is refused in the
 * middle of a run. In a child, which exits with 0 when all was as it should be. */
static int write_past_a_limit(void)
{
    struct err err = ERR_INIT;
    struct rlimit limit = {100000, 100000};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    struct span_pool *pool = span_pool_new(0, NULL);
    struct span_writer *w = span_writer_new(pool, 0);
    enum status st = STATUS_OK;
    for (int run = 0; run < 100 && st == STATUS_OK; run++) {
        for (size_t i = 0; i < 1000; i++) {
            struct span s = random_span(begin_any(i));
            span_writer_add(w, &s);
        }
        st = span_writer_end_run(w, run, &err);
    }
    span_writer_free(w);
    span_pool_free(pool);
    if (st != STATUS_ENVIRONMENT || err.status != st)
        return 1;
    return !strstr(err.text, "TMPDIR") || !strstr(err.text, "File too large");
}

static int exit_code_of_child(int (*body)(void))
{
    pid_t child = fork();
    if (!child)
        _exit(body());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_full_disk_is_told_with_what_to_do(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of_child(write_past_a_limit), 0);
}

/* Reads to the end or the first trouble. */
static enum status read_all(struct span_pool *pool, struct err *err)
{
    struct span_reader *r = span_reader_new(pool, lanes, names);
    struct span_stream *s = span_reader_stream(r);
    const struct span *rows;
    while (s->next(s, &rows))
        ;
    enum status st = span_reader_status(r, err);
    span_reader_free(r);
    return st;
}

static void a_file_that_has_become_shorter_is_told(void **state)
{
    (void)state;
    struct rows all = {0};
    struct err err = ERR_INIT;
    struct span_pool *pool = span_pool_new(ALL_IN_FILE, NULL);
    struct span_writer *w = span_writer_new(pool, 0);
    for (int i = 0; i < 10; i++)
        add_run(&all, w, 0, i, 5000, begin_within_a_second);
    assert_int_equal(ftruncate(pool->file.fd, span_pool_spilled_bytes(pool) - 1), 0);
    assert_int_equal(read_all(pool, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "shorter"));
    span_writer_free(w);
    span_pool_free(pool);
    rows_release(&all);
}

/* A changed duration goes unseen; but nothing is read or mapped that is not there. */
static void a_damaged_file_does_no_harm(void **state)
{
    (void)state;
    struct rows all = {0};
    struct span_pool *pool = span_pool_new(ALL_IN_FILE, NULL);
    struct span_writer *w = span_writer_new(pool, 0);
    for (int i = 0; i < 3; i++)
        add_run(&all, w, 0, i, 200, begin_within_a_second);
    int64_t size = span_pool_spilled_bytes(pool);
    int seen = 0;
    for (int i = 0; i < 2000; i++) {
        struct err err = ERR_INIT;
        uint64_t any = random_next();
        off_t at = (off_t)(any % (uint64_t)size);
        uint8_t was, now = (uint8_t)(any >> 56);
        assert_int_equal(pread(pool->file.fd, &was, 1, at), 1);
        assert_int_equal(pwrite(pool->file.fd, &now, 1, at), 1);
        seen += read_all(pool, &err) != STATUS_OK;
        assert_int_equal(pwrite(pool->file.fd, &was, 1, at), 1);
    }
    assert_true(seen > 200);
    assert_pool_has(pool, &all);
    span_writer_free(w);
    span_pool_free(pool);
    rows_release(&all);
}

/* Stops the child in the middle of its work: a byte says that it has spilled. */
static void spill_and_wait(const char *folder, int tell)
{
    struct err err = ERR_INIT;
    struct span_pool *pool = span_pool_new(0, folder);
    struct span_writer *w = span_writer_new(pool, 0);
    struct span s = {.begin_ns = 1};
    span_writer_add(w, &s);
    if (span_writer_end_run(w, 0, &err) != STATUS_OK)
        _exit(1);
    if (write(tell, "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static int count_files(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void a_killed_process_leaves_no_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_span_store_XXXXXX", byte;
    int tell[2];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(pipe(tell), 0);
    pid_t child = fork();
    if (!child)
        spill_and_wait(folder, tell[1]);
    close(tell[1]);
    assert_int_equal(read(tell[0], &byte, 1), 1);
    assert_int_equal(count_files(folder), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(tell[0]);
    assert_int_equal(count_files(folder), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_value_come_back_in_order),
        cmocka_unit_test(runs_that_overlap_entirely_are_merged),
        cmocka_unit_test(ties_go_by_duration_then_seq_then_as_recorded),
        cmocka_unit_test(sorted_and_interleaved_runs_come_back_in_order),
        cmocka_unit_test(runs_of_one_row_come_back_in_order),
        cmocka_unit_test(equal_rows_keep_the_order_in_which_they_were_recorded),
        cmocka_unit_test(a_run_longer_than_a_part_keeps_its_order),
        cmocka_unit_test(an_empty_store_gives_no_rows),
        cmocka_unit_test(a_dropped_run_leaves_no_trace),
        cmocka_unit_test(a_reader_left_early_and_a_run_left_open_are_freed),
        cmocka_unit_test(several_threads_write_into_one_pool),
        cmocka_unit_test(a_missing_folder_is_told_when_it_is_needed),
        cmocka_unit_test(a_full_disk_is_told_with_what_to_do),
        cmocka_unit_test(a_file_that_has_become_shorter_is_told),
        cmocka_unit_test(a_damaged_file_does_no_harm),
        cmocka_unit_test(a_killed_process_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, make_maps, NULL);
}
