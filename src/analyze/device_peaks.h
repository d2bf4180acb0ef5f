/*
 * What vendors say their accelerators can do at most: dense arithmetic (without
 * structured sparsity) by precision, and bandwidth of the memory. Origin: listed.
 *
 * To add one: a line in device_peaks.c, with the name as traces spell it and the data
 * sheet that says so. What a sheet does not say, or two of them differ in, is 0.
 */
#ifndef GAIT_ANALYZE_DEVICE_PEAKS_H
#define GAIT_ANALYZE_DEVICE_PEAKS_H

/* Of the factors of a product. */
#define PRECISION_LIST(E)                                                                \
    E(F64, "f64")                                                                        \
    E(F32, "f32")                                                                        \
    E(TF32, "tf32")                                                                      \
    E(F16, "f16")                                                                        \
    E(BF16, "bf16")                                                                      \
    E(F8, "f8")                                                                          \
    E(UNKNOWN, "unknown")
#define PRECISION_VALUE(v, text) PRECISION_##v,
enum precision { PRECISION_LIST(PRECISION_VALUE) PRECISION_COUNT };
extern const char *const precision_text[PRECISION_COUNT];

struct device_peak {
    const char *device;              /* as a trace names it */
    double gbyte_per_s;              /* 10^9 bytes */
    double f32, tf32, f16, bf16, f8; /* TFLOP/s; 0: not listed, or not there */
    const char *source;
};

/* The row of a device, or NULL: capitals do not matter, every other letter does (a part
 * of a device has a name of its own). */
const struct device_peak *device_peak_find(const char *device);
/* FLOP/s; 0 where it is not listed. */
double device_peak_flop_per_s(const struct device_peak *p, enum precision precision);
double device_peak_bytes_per_s(const struct device_peak *p);

#endif
