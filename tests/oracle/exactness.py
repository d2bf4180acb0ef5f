#!/usr/bin/env python3
"""Gait's gradients and movements are as exact as PyTorch's, for every parameter.

    exactness.py GAIT           compare the program; the last line is one JSON object; 1 when something is too inexact
    exactness.py --self-test    prove that the comparison passes a good program and fails a dozen wrong ones
    exactness.py --spread       how far apart two equally good PyTorch programs are by the same measure

Truth is transformers' model in float64. From the same weights and batches the program and PyTorch (f32, or bf16 under
autocast) compute the gradient of the first step and the way that each parameter has moved after 1 and after 20 steps of
AdamW. A parameter passes when its relative error is at most 1.5 times PyTorch's own, or below 1e-6 in f32.

Two things make this a fair measure; --spread shows both with PyTorch alone.

Draws. The error of a vector of 48 numbers is a matter of luck: attention as two matrix products and attention in one
kernel, both PyTorch's, differ by a factor of up to 1.8. Small models are therefore drawn four times, weights and data,
and the error is that of all draws together, for both sides.

Epsilon. AdamW's first step moves each number by rate * g / (|g| + epsilon): with 1e-8 that is the sign of g, and a number
whose gradient lies within the rounding error goes either way. One such number decides the error of a whole parameter:
two PyTorch programs differ by factors of thousands in bf16. Movements are therefore compared with an epsilon of the size
of the gradients, for which the step is a smooth function of the gradient, and every number counts. With the usual 1e-8
they are compared too, in f32: in draws where no gradient is so near to zero that f32 may miss its sign, and over the
numbers whose first gradient is at least a thousandth of the parameter's root mean square. Truth alone decides both; the
table says which share is left out ("not counted": mostly the key's third of c_attn.bias, whose true gradient is zero).
"""
import argparse
import json
import math
import sys
import tempfile
import time

from exactness_cases import CASES
from exactness_compare import compare, prepare, product_results
from product import Failed, Product

PRECISIONS = ("f32", "bf16")
HEADER = (f"{'case':68} {'prec':4} {'quantity':16} {'worst parameter':42} {'gait':>8} {'torch':>8} {'ratio':>6} "
          f"{'excused':>8} {'not counted':>11}")


class Summary:
    """Collects comparisons, prints a line for each quantity of a variant."""

    def __init__(self):
        self.worst = {p: 0.0 for p in PRECISIONS}
        self.parameters, self.cases, self.bad = 0, 0, []

    def add(self, label, precision, quantity, comparisons):
        def badness(c):
            return math.inf if math.isnan(c.ratio) else c.ratio
        judged = [c for c in comparisons if not c.excused]
        worst = max(judged or comparisons, key=badness)
        self.parameters += len(comparisons)
        self.worst[precision] = max([self.worst[precision]] + [badness(c) for c in judged])
        self.bad += [f"{label}, {precision}, {quantity}: {c.parameter} {c.error:.2e}, PyTorch {c.torch_error:.2e}, "
                     f"ratio {c.ratio:.2f}" for c in comparisons if not c.good]
        print(f"{label:68} {precision:4} {quantity:16} {worst.parameter:42} {worst.error:8.1e} {worst.torch_error:8.1e} "
              f"{worst.ratio:6.2f} {len(comparisons) - len(judged):4}/{len(comparisons):<3} "
              f"{max(c.uncounted for c in comparisons):11.1%}", flush=True)

    def fail(self, label, precision, error):
        self.worst[precision] = math.inf
        self.bad.append(f"{label}, {precision}: {error}")
        print(f"{label:68} {precision:4} FAILED: {error}", flush=True)

    def json(self):
        return json.dumps({f"{p}_worst_ratio": round(w, 3) if math.isfinite(w) else None for p, w in self.worst.items()}
                          | {"parameters": self.parameters, "cases": self.cases})


# The kernels of own products, as GAIT_ISA names them, and the CPU's flag that each needs.
KERNELS = {"amx": "amx_bf16", "avx512": "avx512bw", "avx2": "avx2", "plain": None}


def products(gait, each_kernel):
    """(name, program): as it is, and forced to each kernel that this machine has."""
    found = [("", Product(gait))]
    flags = set(next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split())
    for kernel, flag in KERNELS.items() if each_kernel else []:
        if flag and flag not in flags:
            print(f"{kernel}: not here, this machine has no {flag}")
        else:
            found.append((f"{kernel}: ", Product(gait, {"engine": "own"}, {"GAIT_ISA": kernel})))
    return found


def judge(product, case, draws, summary, variants=None, precisions=PRECISIONS, name=""):
    for variant in variants or case.variants:
        label = f"{name}{case.name}: {variant.name}"
        summary.cases += 1
        for precision in precisions:
            try:
                found = compare(case, draws, variant, precision,
                                lambda d, e: product_results(product, case, d, variant, precision, e))
            except Failed as error:
                summary.fail(label, precision, error)
                continue
            for quantity, comparisons in found.items():
                summary.add(label, precision, quantity, comparisons)


def run(programs, quick):
    summary, start = Summary(), time.monotonic()
    print(HEADER)
    for case in CASES:
        if quick and case.draws == 1:
            print(f"{case.name}: skipped by --quick")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                draws = prepare(programs[0][1], case, folder)
            except Failed as error:
                summary.fail(case.name, "f32", error)
                continue
            for name, product in programs:
                judge(product, case, draws, summary, name=name)
    print(f"{summary.parameters} comparisons in {time.monotonic() - start:.0f} s, "
          f"{len(summary.bad)} beyond 1.5 times PyTorch's error{':' if summary.bad else ''}")
    for line in summary.bad[:40]:
        print(f"  {line}")
    print(summary.json())
    return 1 if summary.bad else 0


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", help="of the source tree, as other oracles want it; not used")
    a.add_argument("--quick", action="store_true", help="without GPT-2 124M")
    a.add_argument("--each-kernel", action="store_true", help="also with each kernel of own products that is here")
    a.add_argument("--self-test", action="store_true", help="test this test")
    a.add_argument("--spread", action="store_true", help="PyTorch against PyTorch")
    o = a.parse_args()
    if o.self_test or o.spread:
        import exactness_self_test
        return exactness_self_test.self_test() if o.self_test else exactness_self_test.spread()
    if not o.gait:
        a.error("which program? build/gait")
    return run(products(o.gait, o.each_kernel), o.quick)


if __name__ == "__main__":
    sys.exit(main())
