/*
 * What __builtin_cpu_supports() asks, as libgcc has it: Zig's runtime library lacks it. Only the features that
 * src/trace chooses kernels by; any other is answered with "no", which costs speed alone.
 */
#include <cpuid.h>
#include <stdint.h>

/* Bits of features[0]: enum processor_features of gcc and clang, fixed by their ABI. */
enum { HAS_POPCNT = 2, HAS_AVX2 = 10, HAS_AVX512F = 15, HAS_BMI = 16, HAS_PCLMUL = 19, HAS_AVX512BW = 21 };
enum { HAS_AVX512VBMI = 26, HAS_AVX512VBMI2 = 31 };

/* The registers that the system saves: XMM and YMM; for AVX-512 also its masks and both halves of ZMM. */
enum { SAVES_AVX = 0x06, SAVES_AVX512 = 0xe6 };

struct cpu_model {
    uint32_t vendor, type, subtype;
    uint32_t features[1];
};
extern struct cpu_model __cpu_model;
int __cpu_indicator_init(void);

struct cpu_model __cpu_model;

static uint64_t saved_registers(void)
{
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

int __cpu_indicator_init(void)
{
    uint32_t a, b, c, d, found = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 0;
    found |= (c & bit_POPCNT) ? 1u << HAS_POPCNT : 0;
    found |= (c & bit_PCLMUL) ? 1u << HAS_PCLMUL : 0;
    uint64_t saved = (c & bit_OSXSAVE) ? saved_registers() : 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        found |= (b & bit_BMI) ? 1u << HAS_BMI : 0;
        if ((saved & SAVES_AVX) == SAVES_AVX)
            found |= (b & bit_AVX2) ? 1u << HAS_AVX2 : 0;
        if ((saved & SAVES_AVX512) == SAVES_AVX512) {
            found |= (b & bit_AVX512F) ? 1u << HAS_AVX512F : 0;
            found |= (b & bit_AVX512BW) ? 1u << HAS_AVX512BW : 0;
            found |= (c & bit_AVX512VBMI) ? 1u << HAS_AVX512VBMI : 0;
            found |= (c & bit_AVX512VBMI2) ? 1u << HAS_AVX512VBMI2 : 0;
        }
    }
    __cpu_model.features[0] = found;
    return 0;
}
