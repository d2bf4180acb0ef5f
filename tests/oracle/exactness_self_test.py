"""exactness.py tested: it passes a good program, written independently, and fails each wrong one; and how far two good
PyTorch programs are apart by its measure."""
import contextlib
import io
import math
import tempfile

from exactness import Summary, judge
from exactness_cases import CASES, TORCH_EPSILON, Variant
from exactness_compare import RATIO_LIMIT, error2, moves, prepare, torch_results
from fake_gait import FAULTS
from product import Fake

DEFAULT, TWO = Variant("default"), Variant("2 micro-batches", accumulation=2)
BF16_ONLY = ("rounded-masters",)
NOT_HERE = ("no-clip", "late-rate")  # exactness.py trains without clipping and at one rate; curve.py finds them


def small_cases():
    """One of each family, and the variants that the stand-in tells apart."""
    return [c for c in CASES if c.name in ("gpt2 tied", "llama untied, llama3 rope")]


def verdict(fault, case, draws, precisions, variants):
    summary = Summary()
    with contextlib.redirect_stdout(io.StringIO()):
        judge(Fake(fault), case, draws, summary, variants, precisions)
    return summary


def check_honest(case, draws):
    s = verdict(None, case, draws, ("f32", "bf16"), (DEFAULT, TWO))
    print(f"{case.name}: a good program: worst ratio f32 {s.worst['f32']:.2f}, bf16 {s.worst['bf16']:.2f}, "
          f"{s.parameters} comparisons, {len(s.bad)} beyond the limit", flush=True)
    for line in s.bad:
        print(f"    {line}")
    return not s.bad


def check_fault(fault, case, draws):
    """One draw must do."""
    s = verdict(fault, case, draws[:1], ("bf16",) if fault in BF16_ONLY else ("f32",), (TWO,))
    print(f"{case.name}: {FAULTS[fault]}: {'noticed' if s.bad else 'NOT NOTICED'}"
          + (f", {len(s.bad)} of {s.parameters} comparisons, e.g. {s.bad[0]}" if s.bad else ""), flush=True)
    return bool(s.bad)


def self_test():
    good = True
    for case in small_cases():
        with tempfile.TemporaryDirectory() as folder:
            draws = prepare(Fake(), case, folder, variants=(DEFAULT, TWO))
            good &= check_honest(case, draws)
            for fault in [f for f in FAULTS if f not in NOT_HERE]:
                good &= check_fault(fault, case, draws)
    print("self-test passed" if good else "self-test FAILED")
    return 0 if good else 1


def twin_ratios(draws, results, quantity, weighted):
    """How far apart the two sides of results are, as factors of at least 1: (factor, parameter) for every one."""
    squared = [[error2(r[side][quantity], d.truth[quantity], d.weight.get(quantity) if weighted else None)
                for r, d in zip(results, draws)] for side in (0, 1)]
    pairs = {n: [math.sqrt(sum(e[n] for e in side)) for side in squared] for n in draws[0].truth[quantity]}
    return [(max(p) / max(min(p), 1e-300), n) for n, p in pairs.items()]


def spread_line(case, label, factors):
    beyond = sum(f > RATIO_LIMIT for f, _ in factors) / len(factors)
    print(f"{case.name:28} {label:46} largest {max(factors)[0]:8.2f} {max(factors)[1]:42} "
          f"beyond {RATIO_LIMIT}: {beyond:6.1%} of {len(factors)}", flush=True)


def spread():
    """transformers' own two forms of attention against each other."""
    for case in small_cases():
        with tempfile.TemporaryDirectory() as folder:
            draws = prepare(Fake(), case, folder, precisions=(), variants=(DEFAULT,), draws=16)
        for precision in ("f32", "bf16"):
            for epsilon in (case.optimizer.epsilon, TORCH_EPSILON):
                results = [[torch_results(case, d.start, d.tokens, precision, epsilon, attention=a)
                            for a in ("sdpa", "eager")] for d in draws]
                default = epsilon == TORCH_EPSILON
                for quantity in [q for q in results[0][0] if q in moves(epsilon) or not default]:
                    for weighted in ([False, True] if default else [False]):
                        for size in (1, 4):
                            factors = [f for i in range(0, len(draws), size) for f in
                                       twin_ratios(draws[i:i + size], results[i:i + size], quantity, weighted)]
                            how = "decided numbers" if weighted else "all numbers"
                            spread_line(case, f"{precision} {quantity}, {how}, {size} draw{'s' * (size > 1)}", factors)
    return 0
