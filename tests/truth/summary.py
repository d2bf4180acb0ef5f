"""Predictions held against truths."""
import dataclasses
import math
import statistics

import remedies
import replay_error
from alternate import CONFIDENCE
from cases import SETS
from predict import findings_of

MEASURED = "measured"  # price.kind of a replacement that gait record measured
KINDS = {
    "a": "work removed, interval changed",
    "b": "operation replaced, the other one measured by gait record",
    "c": "operation replaced, the other one modelled; work moved to busy cores; with replacements priced from the bare trace",
}


@dataclasses.dataclass
class Line:
    """A case: what was said of it and what came true. None is what is not known."""

    case: object
    predicted: object = None  # the Finding of the planted cause; of the recording, or of its bare trace
    place: int = None  # its place among the findings, from 1
    rules: tuple = None  # all that were found; None without a prediction
    others: dict = dataclasses.field(default_factory=dict)  # rule: its measurement, of those not planted that proved right
    truth: dict = None
    floor: float = None  # slow over slow - 1
    blind: bool = None

    @property
    def fair_place(self):
        """The place without what proved right as well, or None."""
        return self.place and [r for r in self.rules if r not in self.others].index(self.case.rule) + 1

    @property
    def priced(self):
        return self.predicted is not None and self.predicted.ratio is not None and self.truth is not None

    @property
    def error(self):
        """Predicted over measured step time after the fix, - 1."""
        return self.predicted.ratio / self.truth["ratio"] - 1 if self.priced else None

    @property
    def has_interval(self):
        return self.priced and self.predicted.low is not None and self.predicted.high is not None

    @property
    def covered(self):
        return self.predicted.low <= self.truth["ratio"] <= self.predicted.high

    @property
    def width(self):
        """Half of the interval over the price: the ± of it."""
        return (self.predicted.high - self.predicted.low) / 2 / self.predicted.ratio

    @property
    def needed_width(self):
        """How many times as wide its interval would just hold the truth."""
        p, off = self.predicted, self.truth["ratio"] - self.predicted.ratio
        side = p.high - p.ratio if off > 0 else p.ratio - p.low
        return abs(off) / side if side > 0 else math.inf

    @property
    def kind(self):
        """a, b or c; known when the price says how it was found."""
        if self.case.kind in ("removed", "interval"):
            return "a"
        if self.case.kind == "replaced" and self.predicted and self.predicted.how == MEASURED:
            return "b"
        return "c"


def line_of(case, results, what="prediction"):
    """what: the row of the prediction; "bare" is that of the bare trace."""
    line = Line(case, truth=results.get("truth", case))
    floor = results.get("floor", case)
    if floor:
        line.floor = floor["ratio"] - 1
    prediction = results.get(what, case)
    if prediction is None:
        return line
    findings = findings_of(prediction["findings"])
    line.rules = tuple(dict.fromkeys(f.rule for f in findings))
    if case.rule in line.rules:
        line.predicted = next(f for f in findings if f.rule == case.rule)
        line.place = line.rules.index(case.rule) + 1
    measured = {rule: results.get(remedies.ROW + rule, case) for rule in line.rules if rule != case.rule}
    line.others = {rule: row for rule, row in measured.items() if remedies.holds(row)}
    if line.truth:
        line.blind = prediction["at"] < line.truth["at"]
    return line


def beside_of(case, results):
    """A line for each finding that was not planted and was measured under its remedy, whichever way it went."""
    prediction = results.get("prediction", case)
    lines = []
    for f in findings_of(prediction["findings"]) if prediction else ():
        measured = f.rule != case.rule and results.get(remedies.ROW + f.rule, case)
        if measured and f.rule not in [line.predicted.rule for line in lines]:
            lines.append(Line(case, predicted=f, truth=measured, blind=prediction["at"] < measured["at"]))
    return lines


def median(values):
    return statistics.median(values) if values else None


def share(flags):
    return sum(flags) / len(flags) if flags else None


def prices(lines):
    """How well the prices of these lines came true."""
    errors = [abs(line.error) for line in lines if line.priced]
    intervals = [line for line in lines if line.has_interval]
    return {
        "cases": len(errors), "median_error": median(errors), "worst_error": max(errors, default=None),
        "interval_coverage": share([line.covered for line in intervals]),
        "median_width": median([line.width for line in intervals])}


def widths(lines):
    """How the intervals of each way to find a price held, and how many times as wide nine in ten of the truths would need them."""
    result = {}
    for how in sorted({line.predicted.how for line in lines if line.has_interval}):
        of_how = [line for line in lines if line.has_interval and line.predicted.how == how]
        needed = sorted(line.needed_width for line in of_how)
        result[how] = {**prices(of_how), "needed_width": needed[math.ceil(CONFIDENCE * len(needed)) - 1]}
    return result


def causes(lines):
    """Recall, precision and how often the planted cause stands first, over the cases with a prediction. A finding is right if it
    was planted or proved right under its remedy."""
    asked = [line for line in lines if line.rules is not None]
    planted = [line for line in asked if not line.case.healthy]
    found = sum(len(line.rules) for line in asked)
    right = sum(bool(line.place) + len(line.others) for line in asked)
    return {
        "recall": recall(lines), "precision": right / found if found else None,
        "ranked_first": share([line.fair_place == 1 for line in planted]),
        "ranked_first_strict": share([line.place == 1 for line in planted])}


def recall(lines):
    return share([bool(line.place) for line in lines if line.rules is not None and not line.case.healthy])


def by_kind(lines, bare):
    """bare adds what its trace alone had to model: replacements that the recording measured are modelled there."""
    groups = {kind: [x for x in lines if x.kind == kind and not x.case.healthy] for kind in KINDS}
    groups["c"] += [x for x in bare if x.case.kind == "replaced"]
    return {kind: prices(group) for kind, group in groups.items()}


def by_set(lines, bare):
    """The cases of each set apart: the predictor was tuned on the first, and is judged on the fresh ones."""
    result = {}
    for name in SETS:
        of_set, bare_of_set = ([x for x in group if x.case.set == name] for group in (lines, bare))
        result[name] = {**prices(of_set), **causes(of_set), "by_kind": by_kind(of_set, bare_of_set)}
    return result


def summarize(lines, bare, beside):
    """Of the recordings and, apart, of the bare traces: a line a case each; and of findings beside the planted ones."""
    floors = [abs(line.floor) for line in lines if line.floor is not None]
    return {
        "bench": "truth", "cases": sum(line.truth is not None or line.rules is not None for line in lines),
        **{k: v for k, v in prices(lines).items() if k not in ("cases", "median_width")}, **causes(lines), **replay_error.worst(),
        "floor_median": median(floors), "floor_worst": max(floors, default=None),
        "not_blind": sum(line.blind is False for line in (*lines, *bare)), "by_kind": by_kind(lines, bare),
        "by_set": by_set(lines, bare), "by_how": widths([line for line in lines if line.case.set == SETS[0]]),
        "bare": {**prices(bare), "recall": recall(bare)}, "beside": prices(beside)}
