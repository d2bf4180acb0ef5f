#include "cli/peak_args.h"

enum status peak_args(struct given_peak *peak, const struct args *args, struct err *err)
{
    const double least = 1e-6, most = 1e9;
    double tflops = 0, gbps = 0;
    enum status st = args_real(args, "peak-tflops", least, most, &tflops, err);
    if (!st)
        st = args_real(args, "peak-gbps", least, most, &gbps, err);
    *peak = (struct given_peak){.flop_per_s = tflops * 1e12, .bytes_per_s = gbps * 1e9};
    return st;
}
