"""The table, for a terminal and for docs/truth.md: predicted and measured in columns apart."""
import os
import platform
import subprocess

from summary import KINDS

COLUMNS = ("case", "cause", "kind", "predicted", "[90 %]", "how", "measured", "[90 %]", "error", "A/A", "place")


def ratio(value):
    return "-" if value is None else f"{value:.3f}"


def interval(low, high):
    return "-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def percent(value, sign="+"):
    return "-" if value is None else f"{100 * value:{sign}.1f} %"


def place(line):
    """Where the planted cause stands among the findings, and what was found beside it."""
    if line.rules is None:
        return "-"
    beside = [r for r in line.rules if r != line.case.rule]
    words = str(line.place) if line.place else "silent" if not line.rules else "not found"
    if line.case.healthy and beside:
        words = "false:"
    return words + (" " if beside else "") + " ".join(f"({r})" if r in line.case.also else r for r in beside)


def cells(line):
    p, t = line.predicted, line.truth or {}
    kind = "-" if line.case.healthy else f"{line.case.kind} ({line.kind})" if p else line.case.kind
    late = " *" if line.blind is False else ""
    return (line.case.name, line.case.rule, kind, ratio(p and p.ratio) + late, interval(p and p.low, p and p.high),
            p.how if p else "-", ratio(t.get("ratio")), interval(t.get("low"), t.get("high")), percent(line.error),
            percent(line.floor), place(line))


def summary_lines(total):
    yield (f"{total['cases']} cases; recall {percent(total['recall'], '')}, precision {percent(total['precision'], '')}, "
           f"planted cause first {percent(total['ranked_first'], '')}; slow against slow: median "
           f"{percent(total['floor_median'], '')}, worst {percent(total['floor_worst'], '')}")
    for kind, words in KINDS.items():
        k = total["by_kind"][kind]
        yield (f"({kind}) {words}: {k['cases']} prices, error median {percent(k['median_error'], '')}, worst "
               f"{percent(k['worst_error'], '')}; intervals hold {percent(k['interval_coverage'], '')}, median width "
               f"±{percent(k['median_width'], '')}")
    if total["not_blind"]:
        yield f"* {total['not_blind']} predictions are younger than their truth: not blind"


def text(lines, total):
    rows = [COLUMNS] + [cells(line) for line in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    for row in rows:
        yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip()
    yield ""
    yield from summary_lines(total)


def machine():
    """The processor, its cores in use, and the versions."""
    import torch  # only who writes the page needs it

    model = next((line.split(":", 1)[1].strip() for line in subprocess.run(
        ["lscpu"], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}).stdout.splitlines()
        if line.startswith("Model name")), "unknown processor")
    linux = ".".join(platform.release().split(".")[:2])
    return (f"{model}, {len(os.sched_getaffinity(0))} cores; Linux {linux}, "
            f"Python {platform.python_version()}, PyTorch {torch.__version__}")


def markdown(lines, total):
    yield "# Predicted and measured"
    yield ""
    yield "Written by `bench/truth --write-docs`; [how it is measured](../tests/truth/README.md). Every case stays in the table."
    yield "Ratios are step times after the fix over before; error is predicted over measured; A/A is the slow job against itself in"
    yield "the same harness: what an error is to be compared with. Place is the planted cause's among the findings, with other"
    yield "findings after it (in brackets: they hold too)."
    yield ""
    yield f"Machine: {machine()}."
    yield ""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|" + "---|" * len(COLUMNS)
    for line in lines:
        yield "| " + " | ".join(cells(line)) + " |"
    yield ""
    for sentence in summary_lines(total):
        yield f"- {sentence}".replace("- * ", "- \\* ")
