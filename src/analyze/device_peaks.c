#include "analyze/device_peaks.h"

#include <stddef.h>
#include <strings.h>

#define PRECISION_TEXT(v, text) text,
const char *const precision_text[PRECISION_COUNT] = {PRECISION_LIST(PRECISION_TEXT)};

#define V100_SHEET "NVIDIA Tesla V100 GPU Accelerator data sheet"
#define A100_SHEET "NVIDIA A100 Tensor Core GPU data sheet"
#define H100_SHEET "NVIDIA H100 Tensor Core GPU Architecture white paper; H100 data sheet"
#define H200_SHEET "NVIDIA H200 Tensor Core GPU data sheet (half of its sparse figures)"
#define B200_SHEET "NVIDIA Blackwell architecture brief (HGX B200); DGX B200 data sheet"
#define TURING_PAPER "NVIDIA Turing GPU Architecture white paper (reference card)"
#define GA102_PAPER "NVIDIA Ampere GA102 GPU Architecture white paper (f32 accumulation)"
#define ADA_PAPER "NVIDIA Ada GPU Architecture white paper (f32 accumulation)"
#define MI200_SHEET                                                                      \
    "AMD Instinct MI250X data sheet (half of it: a device is one of two dies)"

static const struct device_peak peaks[] = {
    {"Tesla V100-SXM2-16GB", 900, 15.7, 0, 125, 0, 0, V100_SHEET},
    {"Tesla V100-SXM2-32GB", 900, 15.7, 0, 125, 0, 0, V100_SHEET},
    {"Tesla V100-PCIE-16GB", 900, 14, 0, 112, 0, 0, V100_SHEET},
    {"Tesla V100-PCIE-32GB", 900, 14, 0, 112, 0, 0, V100_SHEET},
    {"Tesla V100S-PCIE-32GB", 1134, 16.4, 0, 130, 0, 0, V100_SHEET},
    {"Tesla T4", 320, 8.1, 0, 65, 0, 0, "NVIDIA Tesla T4 product brief"},
    {"NVIDIA GeForce RTX 2080 Ti", 616, 13.4, 0, 53.8, 0, 0, TURING_PAPER},
    {"GeForce RTX 2080 Ti", 616, 13.4, 0, 53.8, 0, 0, TURING_PAPER},
    {"NVIDIA A100-SXM4-40GB", 1555, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"NVIDIA A100-SXM4-80GB", 2039, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"NVIDIA A100-PCIE-40GB", 1555, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"NVIDIA A100 80GB PCIe", 1935, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"A100-SXM4-40GB", 1555, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"A100-SXM4-80GB", 2039, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"A100-PCIE-40GB", 1555, 19.5, 156, 312, 312, 0, A100_SHEET},
    {"NVIDIA A10", 600, 31.2, 62.5, 125, 125, 0, "NVIDIA A10 Tensor Core GPU data sheet"},
    {"NVIDIA GeForce RTX 3090", 936, 35.6, 35.6, 71, 71, 0, GA102_PAPER},
    {"GeForce RTX 3090", 936, 35.6, 35.6, 71, 71, 0, GA102_PAPER},
    {"NVIDIA L4", 300, 30.3, 60, 121, 121, 242.5,
     "NVIDIA L4 Tensor Core GPU data sheet (half of its sparse figures)"},
    {"NVIDIA L40S", 864, 91.6, 183, 362.05, 362.05, 733, "NVIDIA L40S data sheet"},
    {"NVIDIA GeForce RTX 4090", 1008, 82.6, 82.6, 165.2, 165.2, 330.3, ADA_PAPER},
    {"NVIDIA H100 80GB HBM3", 3350, 66.9, 494.7, 989.4, 989.4, 1978.9, H100_SHEET},
    {"NVIDIA H100 PCIe", 2000, 51.2, 378, 756, 756, 1513, H100_SHEET},
    {"NVIDIA H200", 4800, 67, 494.5, 989.5, 989.5, 1979, H200_SHEET},
    {"NVIDIA B200", 8000, 0, 0, 2250, 2250, 4500, B200_SHEET},
    {"AMD Instinct MI210", 1638.4, 45.3, 0, 181, 181, 0, "AMD Instinct MI210 data sheet"},
    {"AMD Instinct MI250X", 1638.4, 47.85, 0, 191.5, 191.5, 0, MI200_SHEET},
    {"AMD Instinct MI300X", 5300, 163.4, 653.7, 1307.4, 1307.4, 2614.9,
     "AMD Instinct MI300X data sheet"},
    {"AMD Instinct MI300X VF", 5300, 163.4, 653.7, 1307.4, 1307.4, 2614.9,
     "AMD Instinct MI300X data sheet (VF: taken for a whole device)"},
    {"AMD Instinct MI325X", 6000, 163.4, 653.7, 1307.4, 1307.4, 2614.9,
     "AMD Instinct MI325X data sheet"},
};

const struct device_peak *device_peak_find(const char *device)
{
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++)
        if (!strcasecmp(peaks[i].device, device))
            return &peaks[i];
    return NULL;
}

double device_peak_flop_per_s(const struct device_peak *p, enum precision precision)
{
    switch (precision) {
    case PRECISION_F32:
        return p->f32 * 1e12;
    case PRECISION_TF32:
        return p->tf32 * 1e12;
    case PRECISION_F16:
        return p->f16 * 1e12;
    case PRECISION_BF16:
        return p->bf16 * 1e12;
    case PRECISION_F8:
        return p->f8 * 1e12;
    default:
        return 0;
    }
}

double device_peak_bytes_per_s(const struct device_peak *p)
{
    return p->gbyte_per_s * 1e9;
}
