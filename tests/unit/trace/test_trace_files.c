/* Every Kineto file of the collection of real traces, against its inventory. */
#include "unit/trace/trace_fixture.h"

#include "base/clock.h"
#include "base/file.h"

#include <stdlib.h>

enum { COLUMNS = 15, SKIPPED = 77 };
enum { PATH = 0, RAW_BYTES = 3, EVENTS = 4, GPU = 5, RANK = 6, KERNELS = 8, STEPS = 11 };

static int64_t read_bytes, read_ns;

static int64_t count_cell(const char *cell)
{
    return strtoll(cell, NULL, 10);
}

/* Spans of these kinds that are kernels of the inventory (it counts category "kernel",
 * old or new, which leaves MTIA's out). */
static int64_t count_kernels(const struct run *r)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->ops.table.n; i++)
        if (r->ops.place[i] == LANE_KIND_DEVICE &&
            (r->ops.kind[i] == SPAN_KIND_KERNEL ||
             r->ops.kind[i] == SPAN_KIND_COLLECTIVE))
            n += r->ops.count[i];
    return n;
}

static int64_t count_steps(const struct run *r)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->ops.table.n; i++)
        if (r->ops.kind[i] == SPAN_KIND_STEP)
            n += r->ops.count[i];
    return n;
}

/* "rank 1 of 2", with "-" for what the file does not say. */
static void check_rank(const char *path, const char *cell, const struct rank *rank)
{
    int number, world;
    if (sscanf(cell, "rank %d of", &number) == 1 && rank->rank != number)
        fail_msg("%s: rank %d, not %d", path, rank->rank, number);
    const char *of = strstr(cell, "of ");
    if (of && sscanf(of, "of %d", &world) == 1 && rank->world != world)
        fail_msg("%s: world %d, not %d", path, rank->world, world);
}

static void check_device(const char *path, const char *cell, const char *device)
{
    if (strncmp(cell, "['", 2))
        return;
    size_t len = strcspn(cell + 2, "'");
    if (strlen(device) != len || strncmp(device, cell + 2, len))
        fail_msg("%s: device \"%s\", not %s", path, device, cell);
}

static void check_file(char *cell[COLUMNS])
{
    char path[1024];
    struct run r;
    struct err err = ERR_INIT;
    snprintf(path, sizeof path, "%s/%s", TRACES_DIR, cell[PATH]);
    run_init(&r);
    int64_t begin_ns = clock_now_ns();
    if (trace_read(&r, path, NULL, &err))
        fail_msg("%s", err.text);
    read_ns += clock_now_ns() - begin_ns;
    struct rank k = ranks_get(&r.ranks, 0);
    read_bytes += k.text_bytes;
    if (k.text_bytes != count_cell(cell[RAW_BYTES]))
        fail_msg("%s: %lld bytes", path, (long long)k.text_bytes);
    if (k.events != count_cell(cell[EVENTS]) || !k.complete)
        fail_msg("%s: %lld events, complete %d", path, (long long)k.events, k.complete);
    if (!strstr(path, "mtia") && count_kernels(&r) != count_cell(cell[KERNELS]))
        fail_msg("%s: %lld kernels, not %s", path, (long long)count_kernels(&r),
                 cell[KERNELS]);
    if (count_steps(&r) != count_cell(cell[STEPS]))
        fail_msg("%s: %lld steps, not %s", path, (long long)count_steps(&r), cell[STEPS]);
    check_rank(path, cell[RANK], &k);
    check_device(path, cell[GPU], run_name(&r, k.device));
    assert_true(trace_looks_like(path));
    if (run_check(&r, &err))
        fail_msg("%s: %s", path, err.text);
    run_release(&r);
}

static void real_traces_give_the_counts_of_their_inventory(void **state)
{
    (void)state;
    char *text, *save, line[4096];
    size_t len;
    int files = 0;
    struct err err = ERR_INIT;
    assert_int_equal(file_read(&text, &len, TRACES_DIR "/INVENTORY.tsv", 1 << 20, &err),
                     STATUS_OK);
    strtok_r(text, "\n", &save); /* the titles */
    for (char *row; (row = strtok_r(NULL, "\n", &save));) {
        char *cell[COLUMNS], *rest = line;
        int n = 0;
        snprintf(line, sizeof line, "%s", row);
        while (n < COLUMNS && (cell[n] = strsep(&rest, "\t")))
            n++;
        assert_int_equal(n, COLUMNS);
        check_file(cell);
        files++;
    }
    mem_free(text);
    assert_true(files > 80);
    print_message("%d traces, %.0f MB of text, %.0f MB/s with reduction\n", files,
                  (double)read_bytes / 1e6, (double)read_bytes * 1e3 / (double)read_ns);
}

static void really_malformed_files_give_all_their_events(void **state)
{
    (void)state;
    static const char *const names[] = {"different_priority_streams",
                                        "same_priority_streams"};
    for (size_t i = 0; i < 2; i++) {
        char path[1024];
        struct run r;
        struct err err = ERR_INIT;
        snprintf(path, sizeof path, "%s/gpupuzzlers/streams/%s.json.gz", TRACES_DIR,
                 names[i]);
        run_init(&r);
        assert_int_equal(trace_read(&r, path, NULL, &err), STATUS_OK);
        assert_int_equal(r.ranks.events[0], 2137);
        assert_int_equal(r.ranks.events_skipped[0], 0);
        assert_int_equal(r.ranks.complete[0], 1);
        assert_int_equal(noted(&r, "malformed JSON", NULL), 1);
        run_release(&r);
    }
}

static void timelines_of_other_tools_are_refused(void **state)
{
    (void)state;
    struct run r;
    struct err err = ERR_INIT;
    run_init(&r);
    assert_int_equal(
        trace_read(&r, TRACES_DIR "/straggler/data/timeline-ST.json.gz", NULL, &err),
        STATUS_INPUT);
    assert_non_null(strstr(err.text, "not of PyTorch's profiler"));
    assert_int_equal(r.ranks.table.n, 0);
    run_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_traces_give_the_counts_of_their_inventory),
        cmocka_unit_test(really_malformed_files_give_all_their_events),
        cmocka_unit_test(timelines_of_other_tools_are_refused),
    };
    if (!file_exists(TRACES_DIR "/INVENTORY.tsv")) {
        printf("skipped: no real traces at %s\n", TRACES_DIR);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
