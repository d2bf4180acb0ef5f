#include "machine/cpu.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/mem.h"
#include "machine/cgroup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <pthread.h>

/* Which registers the kernel saves for us (XCR0), 0 where it does not say. */
static uint64_t saved_registers(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (uint64_t)d << 32 | a;
}

enum {
    XCR0_AVX = 0x6,          /* SSE, AVX */
    XCR0_AVX512 = 0xe6,      /* and masks, upper halves, upper 16 registers */
    XCR0_AMX = 0x60000,      /* tile configuration, tile data */
    AMX_BF16_BIT = 1u << 22, /* leaf 7, edx */
    AMX_TILE_BIT = 1u << 24,
    AVX512_BF16_BIT = 1u << 5, /* leaf 7.1, eax */
};

static struct cpu_isa find_isa(void)
{
    struct cpu_isa isa = {0};
    unsigned a, b, c, d;
    uint64_t saved = saved_registers();
    bool avx = (saved & XCR0_AVX) == XCR0_AVX;
    bool avx512 = (saved & XCR0_AVX512) == XCR0_AVX512;
    bool amx = (saved & XCR0_AMX) == XCR0_AMX;
    if (__get_cpuid(1, &a, &b, &c, &d))
        isa.fma = avx && (c & bit_FMA);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        unsigned tiles = AMX_BF16_BIT | AMX_TILE_BIT;
        isa.avx2 = avx && (b & bit_AVX2);
        isa.avx512f = avx512 && (b & bit_AVX512F);
        isa.amx_bf16 = amx && (d & tiles) == tiles;
        if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
            isa.avx512_bf16 = isa.avx512f && (a & AVX512_BF16_BIT);
    }
    return isa;
}

/* Asked often, and in a virtual machine each look is a trap. */
static pthread_once_t isa_once = PTHREAD_ONCE_INIT;
static struct cpu_isa known_isa;

static void know_isa(void)
{
    known_isa = find_isa();
}

struct cpu_isa cpu_isa(void)
{
    pthread_once(&isa_once, know_isa);
    return known_isa;
}

/* Linux hands out tile registers only to processes that asked. */
enum { REQUEST_XSTATE = 0x1023, XSTATE_TILES = 18 };

bool cpu_allows_amx(void)
{
    static int answer; /* 0: not asked yet */
    if (!answer)
        answer =
            cpu_isa().amx_bf16 && !syscall(SYS_arch_prctl, REQUEST_XSTATE, XSTATE_TILES)
                ? 1
                : -1;
    return answer > 0;
}

static struct cpu_name find_name(void)
{
    enum { BRAND = 0x80000002u, BRAND_LEAVES = 3 };
    struct cpu_name name = {""};
    char brand[16 * BRAND_LEAVES + 1] = "";
    unsigned word[4], a = 0, b, c, d;
    for (unsigned i = 0; i < BRAND_LEAVES; i++)
        if (__get_cpuid(BRAND + i, &word[0], &word[1], &word[2], &word[3]))
            memcpy(brand + 16 * i, word, sizeof word);
    __get_cpuid(1, &a, &b, &c, &d);
    snprintf(name.s, sizeof name.s, "%s %x", brand + strspn(brand, " "), a);
    return name;
}

static pthread_once_t name_once = PTHREAD_ONCE_INIT;
static struct cpu_name known_name;

static void know_name(void)
{
    known_name = find_name();
}

struct cpu_name cpu_name(void)
{
    pthread_once(&name_once, know_name);
    return known_name;
}
#else
struct cpu_isa cpu_isa(void)
{
    return (struct cpu_isa){0};
}

bool cpu_allows_amx(void)
{
    return false;
}

struct cpu_name cpu_name(void)
{
    return (struct cpu_name){""};
}
#endif

int cpu_usable_cores(void)
{
    int cores = cores_of_affinity();
    if (!cores) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cores = online > 0 ? (int)online : 1;
    }
    double quota = ceil(cgroup_cpu_cores(CGROUP_ROOT, CGROUP_OF_SELF));
    return quota < cores ? (int)fmax(quota, 1) : cores;
}

/* One line of cpu0's cache folder `index`; false where there is none. */
static bool read_cache_line(char *out, size_t size, int index, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
             name);
    char *text;
    size_t len;
    if (file_read(&text, &len, path, 4096, NULL))
        return false;
    snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
    mem_free(text);
    return true;
}

/* "48K", "2048K", "1M" in bytes; 0 where it is not such a size. */
static int64_t cache_size_bytes(const char *text)
{
    char *unit;
    long long v = strtoll(text, &unit, 10);
    int shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
    return v > 0 && v < (1LL << 30) ? (int64_t)v << shift : 0;
}

enum { CACHE_INDEX_MAX = 16, CACHE_LEVEL_MAX = 4 };

int64_t cpu_cache_bytes(int level)
{
    for (int i = 0; i < CACHE_INDEX_MAX; i++) {
        char text[32], type[32];
        if (!read_cache_line(text, sizeof text, i, "level"))
            break;
        if (strtol(text, NULL, 10) != level ||
            !read_cache_line(type, sizeof type, i, "type") ||
            !strcmp(type, "Instruction"))
            continue;
        if (read_cache_line(text, sizeof text, i, "size"))
            return cache_size_bytes(text);
    }
    return 0;
}

int64_t cpu_last_cache_bytes(void)
{
    for (int level = CACHE_LEVEL_MAX; level > 0; level--) {
        int64_t bytes = cpu_cache_bytes(level);
        if (bytes)
            return bytes;
    }
    return 0;
}
