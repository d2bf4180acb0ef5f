"""The table, for a terminal and for docs/truth.md: predicted and measured in columns apart."""
import os
import platform
import subprocess

from cases import SETS
from summary import KINDS

COLUMNS = ("case", "set", "cause", "kind", "predicted", "[90 %]", "how", "measured", "[90 %]", "pairs", "error", "A/A", "place")
BESIDE_COLUMNS = ("case", "finding", "predicted", "[90 %]", "how", "measured", "[90 %]", "pairs", "error")
BARE_COLUMNS = ("case", "cause", "predicted", "[90 %]", "measured", "error")


def ratio(value):
    return "-" if value is None else f"{value:.3f}"


def interval(low, high):
    return "-" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def percent(value, sign="+"):
    return "-" if value is None else f"{100 * value:{sign}.1f} %"


def place(line):
    """Where the planted cause stands among the findings, and what was found beside it: what proved right in brackets."""
    if line.rules is None:
        return "-"
    beside = [r for r in line.rules if r != line.case.rule]
    words = str(line.place) if line.place else "silent" if not line.rules else "not found"
    if line.case.healthy and beside:
        words = "false:" if len(line.others) < len(beside) else "right:"
    others = (f"({r} {ratio(line.others[r]['ratio'])})" if r in line.others else r for r in beside)
    return " ".join((words, *others))


def predicted(line):
    return ratio(line.predicted and line.predicted.ratio) + (" *" if line.blind is False else "")


def cells(line):
    p, t = line.predicted, line.truth or {}
    kind = "-" if line.case.healthy else f"{line.case.kind} ({line.kind})" if p else line.case.kind
    return (line.case.name, line.case.set, line.case.rule, kind, predicted(line), interval(p and p.low, p and p.high),
            p.how if p else "-", *measured(t), percent(line.error), percent(line.floor), place(line))


def measured(t):
    return ratio(t.get("ratio")), interval(t.get("low"), t.get("high")), str(t.get("pairs", "-"))


def beside_cells(line):
    p = line.predicted
    return (line.case.name, p.rule, predicted(line), interval(p.low, p.high), p.how, *measured(line.truth), percent(line.error))


def bare_cells(line):
    p, t = line.predicted, line.truth or {}
    return (line.case.name, line.case.rule, predicted(line), interval(p.low, p.high), ratio(t.get("ratio")), percent(line.error))


def bare_rows(bare):
    """The cases whose cause was found in the bare trace."""
    return [bare_cells(line) for line in bare if line.predicted]


def price_words(p):
    return (f"{p['cases']} prices, error median {percent(p['median_error'], '')}, worst {percent(p['worst_error'], '')}; "
            f"intervals hold {percent(p['interval_coverage'], '')}, median width ±{percent(p['median_width'], '')}")


def cause_words(total):
    return (f"recall {percent(total['recall'], '')}, precision {percent(total['precision'], '')}, planted cause first "
            f"{percent(total['ranked_first'], '')} ({percent(total['ranked_first_strict'], '')} where those that proved right count)")


def summary_lines(total):
    yield (f"{total['cases']} cases; {cause_words(total)}; slow against slow: median {percent(total['floor_median'], '')}, worst "
           f"{percent(total['floor_worst'], '')}")
    for kind, words in KINDS.items():
        yield f"({kind}) {words}: {price_words(total['by_kind'][kind])}"
    for name, of_set in total["by_set"].items():
        yield f"{name} set: {cause_words(of_set)}"
        for kind in KINDS:
            yield f"{name} set, ({kind}): {price_words(of_set['by_kind'][kind])}"
    for how, p in total["by_how"].items():
        yield f"{SETS[0]} set, prices that are {how}: {price_words(p)}; {p['needed_width']:.2f} times as wide would hold 90 %"
    yield f"bare trace: {price_words(total['bare'])}; recall {percent(total['bare']['recall'], '')}"
    yield f"findings beside the planted ones, under their remedy: {price_words(total['beside'])}"
    if total["not_blind"]:
        yield f"* {total['not_blind']} predictions are younger than their truth: not blind"


def text_table(columns, rows):
    rows = [columns, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip()
    yield ""


def text(lines, bare, beside, total):
    yield from text_table(COLUMNS, [cells(line) for line in lines])
    if beside:
        yield "beside the planted ones:"
        yield from text_table(BESIDE_COLUMNS, [beside_cells(line) for line in beside])
    if bare_rows(bare):
        yield "from the bare trace:"
        yield from text_table(BARE_COLUMNS, bare_rows(bare))
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


def markdown_table(columns, rows):
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def markdown(lines, bare, beside, total):
    yield "# Predicted and measured"
    yield ""
    yield "Written by `bench/truth --write-docs`; [how it is measured](../tests/truth/README.md), [where it was wrong](truth-worst.md)."
    yield "Every case stays in the table."
    yield "Ratios are step times after the fix over before; error is predicted over measured; A/A is the slow job against itself in"
    yield "the same harness: what an error is to be compared with. Place is the planted cause's among the findings, with other"
    yield "findings after it. In brackets are those that proved right as well: the slow job was measured against itself under their"
    yield "remedy, the ratio is beside them, and its interval of 90 % ends below 1. The others count as false, also where there is"
    yield "no remedy to measure. The predictor was tuned, and its intervals set, on the cases of the first set; the fresh ones were"
    yield "written and measured after that."
    yield ""
    yield f"Machine: {machine()}."
    yield ""
    yield from markdown_table(COLUMNS, [cells(line) for line in lines])
    yield "## Beside the planted ones"
    yield ""
    yield "Findings that nobody planted, right or false, and what their remedy gave; fewer pairs than the planted ones have."
    yield ""
    yield from markdown_table(BESIDE_COLUMNS, [beside_cells(line) for line in beside])
    yield "## From the bare trace"
    yield ""
    yield "What Gait says of the first traced round alone, without the timings and the replacements of `gait record`; the cases"
    yield "whose cause is found in it."
    yield ""
    yield from markdown_table(BARE_COLUMNS, bare_rows(bare))
    yield "## Summary"
    yield ""
    for sentence in summary_lines(total):
        yield f"- {sentence}".replace("- * ", "- \\* ")
