/* Control groups of both versions, from a made-up tree. */
#include "machine/cgroup.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"
#include "machine/meminfo.h"
#include "machine/memory_limit.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/gait-cgroup-XXXXXX";
static char self[64];

/* Make a file with this text, and the folders above it. */
static void put(const char *name, const char *text)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", root, name);
    for (char *p = path.s + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(path.s, 0700);
        *p = '/';
    }
    assert_int_equal(file_write(path.s, text, strlen(text), NULL), STATUS_OK);
    strbuf_release(&path);
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s, (void)type, (void)f;
    return remove(path);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/gait-cgroup-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    snprintf(self, sizeof self, "%s/self", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void version_2_limits_of_parents_count(void **state)
{
    (void)state;
    put("self", "0::/job/step\n");
    put("job/cpu.max", "150000 100000\n");
    put("job/step/cpu.max", "400000 100000\n");
    put("job/memory.max", "1000000\n");
    put("job/step/memory.max", "max\n");
    assert_float_equal(cgroup_cpu_cores(root, self), 1.5, 0);
    assert_float_equal(cgroup_memory_bytes(root, self), 1000000, 0);
    put("cpu.max", "50000 100000\n");
    assert_float_equal(cgroup_cpu_cores(root, self), 0.5, 0);
}

static void version_1_is_read_by_controller(void **state)
{
    (void)state;
    put("self", "5:cpuset:/x\n4:memory:/job\n2:cpuacct,cpu:/job\n0::/\n");
    put("cpu/job/cpu.cfs_quota_us", "300000\n");
    put("cpu/job/cpu.cfs_period_us", "100000\n");
    put("cpu/cpu.cfs_quota_us", "-1\n");
    put("cpu/cpu.cfs_period_us", "100000\n");
    put("memory/job/memory.limit_in_bytes", "2000000\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_float_equal(cgroup_cpu_cores(root, self), 3, 0);
    assert_float_equal(cgroup_memory_bytes(root, self), 2000000, 0);
}

static void a_path_that_is_not_visible_falls_back_to_the_root(void **state)
{
    (void)state;
    put("self", "1:cpu:/docker/abc\n0::/docker/abc\n");
    put("cpu/cpu.cfs_quota_us", "100000\n");
    put("cpu/cpu.cfs_period_us", "50000\n");
    put("memory.max", "77\n");
    assert_float_equal(cgroup_cpu_cores(root, self), 2, 0);
    assert_float_equal(cgroup_memory_bytes(root, self), 77, 0);
}

static void no_limit_is_infinite(void **state)
{
    (void)state;
    put("self", "0::/job\n");
    put("job/cpu.max", "max 100000\n");
    put("job/memory.max", "max\n");
    assert_true(isinf(cgroup_cpu_cores(root, self)));
    assert_true(isinf(cgroup_memory_bytes(root, self)));
    assert_true(isinf(cgroup_cpu_cores(root, "/nonexistent")));
}

static void a_process_can_have_the_lesser_of_machine_and_group(void **state)
{
    (void)state;
    put("self", "0::/job\n");
    put("job/memory.max", "123456789\n");
    assert_float_equal(meminfo_limit_bytes(root, self), 123456789, 0);
    put("job/memory.max", "4000000000000000000\n");
    assert_float_equal(meminfo_limit_bytes(root, self), meminfo_total_bytes(), 0);
    put("job/memory.max", "max\n");
    assert_float_equal(meminfo_limit_bytes(root, self), meminfo_total_bytes(), 0);
}

static void the_soft_limit_of_version_2_counts_and_the_file_is_named(void **state)
{
    (void)state;
    put("self", "0::/job/step\n");
    put("job/step/memory.max", "3000000\n");
    put("job/step/memory.high", "2000000\n");
    put("job/memory.max", "max\n");
    struct cgroup_limit l = cgroup_memory_limit(root, self);
    assert_float_equal(l.value, 2000000, 0);
    assert_string_equal(l.file, "memory.high");
    put("job/memory.max", "1000000\n");
    l = cgroup_memory_limit(root, self);
    assert_float_equal(l.value, 1000000, 0);
    assert_string_equal(l.file, "memory.max");
}

static void what_is_resident_and_kept_is_not_left(void **state)
{
    (void)state;
    struct memory_limit_options o = {
        .cgroup_root = root, .cgroup_of_self = self, .processes = 2, .keep_bytes = 1000};
    put("self", "4:memory:/job\n");
    put("memory/job/memory.limit_in_bytes", "500000000\n");
    struct memory_limit l = memory_limit_find(&o);
    assert_int_equal(l.kind, MEMORY_LIMIT_GROUP);
    assert_string_equal(l.file, "memory.limit_in_bytes");
    assert_float_equal(l.bytes, 250000000, 0);
    assert_true(l.used_bytes > 0);
    assert_float_equal(l.left_bytes, 250000000 - l.used_bytes - 1000, 0);
    put("memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    l = memory_limit_find(&o);
    assert_int_equal(l.kind, MEMORY_LIMIT_MACHINE);
    assert_float_equal(l.bytes, meminfo_total_bytes() / 2, 0);
}

static void nonsense_limits_nothing(void **state)
{
    (void)state;
    put("self", "\n::\n0:\nx:cpu\n0::/../../..\n1:cpu:job\n2:,,cpu,:/a\n");
    put("cpu.max", "100000 0\n");
    put("memory.max", "-5\n");
    put("cpu/a/cpu.cfs_quota_us", "");
    assert_true(isinf(cgroup_cpu_cores(root, self)));
    assert_true(isinf(cgroup_memory_bytes(root, self)));
}

int main(void)
{
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        WITH_ROOT(version_2_limits_of_parents_count),
        WITH_ROOT(version_1_is_read_by_controller),
        WITH_ROOT(a_path_that_is_not_visible_falls_back_to_the_root),
        WITH_ROOT(no_limit_is_infinite),
        WITH_ROOT(a_process_can_have_the_lesser_of_machine_and_group),
        WITH_ROOT(the_soft_limit_of_version_2_counts_and_the_file_is_named),
        WITH_ROOT(what_is_resident_and_kept_is_not_left),
        WITH_ROOT(nonsense_limits_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
