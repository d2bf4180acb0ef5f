"""The table, for a terminal and for docs/truth.md: predicted and measured in columns apart."""
import functools
import os
import platform
import subprocess

from summary import KINDS

COLUMNS = ("case", "round", "cause", "kind", "predicted", "[90 %]", "how", "measured", "[90 %]", "pairs", "error", "A/A", "line",
           "place")
BESIDE_COLUMNS = ("case", "finding", "predicted", "[90 %]", "how", "measured", "[90 %]", "pairs", "error")
ROUND_COLUMNS = ("round", "cases", "predicted on", "commit", "blind", "recall", "precision", "first", "line", "same line", "price error",
                 "worst", "in interval", "recall now")
HOW_COLUMNS = ("round", "price", "prices", "error", "worst", "in interval", "width")
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
    beside = [r for r in line.rules if not line.predicted or r != line.predicted.rule]
    words = str(line.place) if line.place else "silent" if not line.rules else "not found"
    if line.case.healthy and beside:
        words = "false:" if len(line.others) < len(beside) else "right:"
    others = (f"({r} {ratio(line.others[r]['ratio'])})" if r in line.others else f"({r})" if r in line.named else r for r in beside)
    return " ".join((words, *others))


def line_words(line):
    """How well the finding points at the planted statement, where both are known."""
    return "-" if line.line_right is None else "same" if line.line_exact else "function" if line.line_right else "wrong"


def predicted(line):
    return ratio(line.predicted and line.predicted.ratio) + (" *" if line.blind is False else "")


def cells(line):
    p, t = line.predicted, line.truth or {}
    kind = "-" if line.case.healthy else f"{line.case.kind} ({line.kind})" if p else line.case.kind
    return (line.case.name, line.case.round, p.rule if p else line.case.cause, kind, predicted(line), interval(p and p.low, p and p.high),
            p.how if p else "-", *measured(t), percent(line.error), percent(line.floor), line_words(line), place(line))


def measured(t):
    return ratio(t.get("ratio")), interval(t.get("low"), t.get("high")), str(t.get("pairs", "-"))


def beside_cells(line):
    p = line.predicted
    return (line.case.name, p.rule, predicted(line), interval(p.low, p.high), p.how, *measured(line.truth), percent(line.error))


def bare_cells(line):
    p, t = line.predicted, line.truth or {}
    return (line.case.name, p.rule, predicted(line), interval(p.low, p.high), ratio(t.get("ratio")), percent(line.error))


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
    for how, p in total["by_how"].items():
        yield (f"rounds before the newest, prices that are {how}: {price_words(p)}; {p['needed_width']:.2f} times as wide would hold "
               "90 %")
    yield f"bare trace: {price_words(total['bare'])}; recall {percent(total['bare']['recall'], '')}"
    yield f"findings beside the planted ones, under their remedy: {price_words(total['beside'])}"
    if total["not_blind"]:
        yield f"* {total['not_blind']} predictions are younger than their truth: not blind"


def newest_words(total):
    """The newest round in a sentence or two: what to look at first."""
    name = total["newest"]["name"]
    of_round = total["by_round"][name]
    if not of_round["predicted"]:
        return f"{name} ({of_round['cases']} cases): not measured yet."
    some = "" if of_round["predicted"] == of_round["cases"] else f"{of_round['predicted']} of "
    late = f" {of_round['not_blind']} predictions are younger than their truth." if of_round["not_blind"] else ""
    return (f"{name} ({some}{of_round['cases']} cases): recall {percent(of_round['recall'], '')}, precision "
            f"{percent(of_round['precision'], '')}, planted cause first {percent(of_round['ranked_first'], '')}, line right "
            f"{percent(of_round['line'], '')}; price error median {percent(of_round['median_error'], '')}, worst "
            f"{percent(of_round['worst_error'], '')}; intervals hold {percent(of_round['interval_coverage'], '')}. Measured once, before "
            f"any change; predicted on {', '.join(of_round['days'])} at commit {', '.join(of_round['commits']) or 'unknown'}.{late}")


def round_rows(total):
    for name, r in total["by_round"].items():
        if not r["predicted"]:
            yield (name, str(r["cases"]), "not measured yet", *["-"] * (len(ROUND_COLUMNS) - 3))
            continue
        yield (name, str(r["cases"]), ", ".join(r["days"]), ", ".join(r["commits"]) or "-", f"{r['blind']} of {r['blind'] + r['not_blind']}",
               *(percent(r[k], "") for k in ("recall", "precision", "ranked_first", "line", "line_exact", "median_error", "worst_error",
                                             "interval_coverage", "recall_now")))


def how_rows(total):
    for name, r in total["by_round"].items():
        for how, p in r["by_how"].items():
            yield (name, how, str(p["cases"]), *(percent(p[k], "") for k in ("median_error", "worst_error", "interval_coverage")),
                   f"±{percent(p['median_width'], '')}")


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
    yield "rounds, as they were first predicted and measured:"
    yield from text_table(ROUND_COLUMNS, round_rows(total))
    yield from text_table(HOW_COLUMNS, how_rows(total))
    yield from summary_lines(total)
    yield newest_words(total)


@functools.cache
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
    yield newest_words(total)
    yield ""
    yield "Written by `bench/truth --write-docs`; [how it is measured](../tests/truth/README.md), [where it was wrong](truth-worst.md)."
    yield ""
    yield "## By round"
    yield ""
    yield "Each round as it was first predicted and measured, before anything was changed for it. After that Gait is tuned on it:"
    yield "recall now is that of the newest predictions. Blind: predicted before its truth was measured; of round-1, which the first"
    yield "predictor was tuned on, no first predictions are kept. First: planted causes ranked first. Line: of the causes found whose"
    yield "statement is known, those whose finding points at it or into its function; same line: by its number alone. Price"
    yield "error: median over the causes found."
    yield ""
    yield from markdown_table(ROUND_COLUMNS, round_rows(total))
    yield "## Every case"
    yield ""
    yield "The newest predictions; every case stays in the table."
    yield "Ratios are step times after the fix over before; error is predicted over measured; A/A is the slow job against itself in"
    yield "the same harness: what an error is to be compared with. Place is the planted cause's among the findings, with other"
    yield "findings after it. In brackets are those that proved right as well: the slow job was measured against itself under their"
    yield "remedy, the ratio is beside them, and its interval of 90 % ends below 1. The others count as false, also where there is"
    yield "no remedy to measure; findings in brackets without a ratio name the planted cause too. Line says whether the finding"
    yield "points at the planted statement, or at another one of its function."
    yield ""
    for name in dict.fromkeys(line.truth["machine"] for line in lines if line.truth and "machine" in line.truth):
        yield f"Machine: {name}."
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
    yield "## Prices by how they were found"
    yield ""
    yield "Of each round, as first predicted."
    yield ""
    yield from markdown_table(HOW_COLUMNS, how_rows(total))
    yield "## Summary"
    yield ""
    for sentence in summary_lines(total):
        yield f"- {sentence}".replace("- * ", "- \\* ")
