/*
 * The machine's facts. What the system states is LISTED; what depends on the moment is
 * MEASURED.
 *
 *   machine.cpu                      model name
 *   machine.kernel                   system, release and architecture
 *   machine.cores_usable             by affinity and control group
 *   machine.isa                      instruction sets that matter here, or "none of …"
 *   machine.cache_l1d_bytes, _l2_, _l3_      of CPU 0
 *   machine.memory_total_bytes
 *   machine.memory_available_bytes   now, cut by the control group
 *   machine.memory_limit_bytes       of the control group, or "none"
 */
#include "base/cores.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "machine/cgroup.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "machine/meminfo.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { CPUINFO_MAX = 16 << 20 };

static void describe_cpu(struct run *run, int32_t rank)
{
    char *text;
    size_t len;
    if (file_read(&text, &len, "/proc/cpuinfo", CPUINFO_MAX, NULL)) {
        run_add_fact_text(run, rank, "machine.cpu",
                          "not available: /proc/cpuinfo cannot be read", ORIGIN_LISTED);
        return;
    }
    char *name = strstr(text, "model name");
    char *colon = name ? strchr(name, ':') : NULL;
    if (colon) {
        colon += strspn(colon, ": \t");
        colon[strcspn(colon, "\n")] = '\0';
    }
    run_add_fact_text(run, rank, "machine.cpu",
                      colon ? colon : "not available: /proc/cpuinfo has no model name",
                      ORIGIN_LISTED);
    mem_free(text);
}

static void describe_kernel(struct run *run, int32_t rank)
{
    struct utsname u;
    struct strbuf b;
    strbuf_init(&b);
    if (uname(&u))
        strbuf_puts(&b, "not available: uname failed");
    else
        strbuf_printf(&b, "%s %s %s", u.sysname, u.release, u.machine);
    run_add_fact_text(run, rank, "machine.kernel", b.s, ORIGIN_LISTED);
    strbuf_release(&b);
}

static void describe_cores(struct run *run, int32_t rank)
{
    struct strbuf how;
    strbuf_init(&how);
    int affinity = cores_of_affinity();
    if (affinity)
        strbuf_printf(&how, "affinity mask: %d", affinity);
    else
        strbuf_puts(&how, "affinity mask: not available");
    double quota = cgroup_cpu_cores(CGROUP_ROOT, CGROUP_OF_SELF);
    if (isinf(quota))
        strbuf_puts(&how, "; control group: no limit");
    else
        strbuf_printf(&how, "; control group: %.2f", quota);
    run_add_fact(run, rank, "machine.cores_usable", cpu_usable_cores(), "cores",
                 ORIGIN_LISTED, how.s);
    strbuf_release(&how);
}

static void describe_isa(struct run *run, int32_t rank)
{
#if defined(__x86_64__)
    struct cpu_isa isa = cpu_isa();
    struct strbuf b;
    strbuf_init(&b);
#define ISA_APPEND(field, text)                                                          \
    if (isa.field)                                                                       \
        strbuf_printf(&b, "%s%s", b.len ? " " : "", text);
#define ISA_NAME(field, text) " " text
    CPU_ISA_LIST(ISA_APPEND)
    if (!b.len)
        strbuf_puts(&b, "none of" CPU_ISA_LIST(ISA_NAME));
    run_add_fact_text(run, rank, "machine.isa", b.s, ORIGIN_LISTED);
    strbuf_release(&b);
#else
    run_add_fact_text(run, rank, "machine.isa", "not available: not an x86-64 CPU",
                      ORIGIN_LISTED);
#endif
}

static void describe_caches(struct run *run, int32_t rank)
{
    static const char *const key[] = {"machine.cache_l1d_bytes", "machine.cache_l2_bytes",
                                      "machine.cache_l3_bytes"};
    for (int level = 1; level <= 3; level++) {
        int64_t bytes = cpu_cache_bytes(level);
        if (bytes)
            run_add_fact(run, rank, key[level - 1], (double)bytes, "bytes", ORIGIN_LISTED,
                         "as the kernel lists it for CPU 0");
        else
            run_add_fact_text(run, rank, key[level - 1],
                              "not available: the kernel does not list this cache",
                              ORIGIN_LISTED);
    }
}

static void add_bytes(struct run *run, int32_t rank, const char *key, double bytes,
                      enum origin origin, const char *how, const char *absent)
{
    if (isfinite(bytes))
        run_add_fact(run, rank, key, bytes, "bytes", origin, how);
    else
        run_add_fact_text(run, rank, key, absent, origin);
}

static void describe_memory(struct run *run, int32_t rank)
{
    add_bytes(run, rank, "machine.memory_total_bytes", meminfo_total_bytes(),
              ORIGIN_LISTED, "MemTotal", "not available: /proc/meminfo has no MemTotal");
    add_bytes(run, rank, "machine.memory_available_bytes", meminfo_available_bytes(),
              ORIGIN_MEASURED, "MemAvailable, at most the control group's limit",
              "not available: /proc/meminfo has no MemAvailable");
    add_bytes(run, rank, "machine.memory_limit_bytes",
              cgroup_memory_bytes(CGROUP_ROOT, CGROUP_OF_SELF), ORIGIN_LISTED,
              "control group", "none");
}

void machine_describe(struct run *run, int32_t rank)
{
    describe_cpu(run, rank);
    describe_kernel(run, rank);
    describe_cores(run, rank);
    describe_isa(run, rank);
    describe_caches(run, rank);
    describe_memory(run, rank);
}
