"""Predictions held against truths."""
import dataclasses
import statistics

import replay_error
from predict import findings_of

MEASURED = "measured"  # price.kind of a replacement that gait record measured
KINDS = {
    "a": "work removed, interval changed",
    "b": "operation replaced, the other one measured by gait record",
    "c": "operation replaced, the other one modelled; work moved to busy cores",
}


@dataclasses.dataclass
class Line:
    """A case: what was said of it and what came true. None is what is not known."""

    case: object
    predicted: object = None  # the Finding of the planted cause
    place: int = None  # its place among the findings, from 1
    rules: tuple = None  # all that were found; None without a prediction
    truth: dict = None
    floor: float = None  # slow over slow - 1
    blind: bool = None

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
    def kind(self):
        """a, b or c; known when the price says how it was found."""
        if self.case.kind in ("removed", "interval"):
            return "a"
        if self.case.kind == "replaced" and self.predicted and self.predicted.how == MEASURED:
            return "b"
        return "c"


def line_of(case, results):
    line = Line(case, truth=results.get("truth", case))
    floor = results.get("floor", case)
    if floor:
        line.floor = floor["ratio"] - 1
    prediction = results.get("prediction", case)
    if prediction is None:
        return line
    findings = findings_of(prediction["findings"])
    line.rules = tuple(dict.fromkeys(f.rule for f in findings))
    if case.rule in line.rules:
        line.predicted = next(f for f in findings if f.rule == case.rule)
        line.place = line.rules.index(case.rule) + 1
    if line.truth:
        line.blind = prediction["at"] < line.truth["at"]
    return line


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


def causes(lines):
    """Recall, precision and how often the planted cause stands first, over the cases with a prediction."""
    asked = [line for line in lines if line.rules is not None]
    planted = [line for line in asked if not line.case.healthy]
    hits = [line for line in planted if line.place]
    found = sum(len([r for r in line.rules if r not in line.case.also]) for line in asked)
    return {
        "recall": share([bool(line.place) for line in planted]),
        "precision": len(hits) / found if found else None,
        "ranked_first": share([line.place == 1 for line in planted])}


def summarize(lines):
    floors = [abs(line.floor) for line in lines if line.floor is not None]
    return {
        "bench": "truth", "cases": sum(line.truth is not None or line.rules is not None for line in lines),
        **{k: v for k, v in prices(lines).items() if k not in ("cases", "median_width")}, **causes(lines), **replay_error.worst(),
        "floor_median": median(floors), "floor_worst": max(floors, default=None),
        "not_blind": sum(line.blind is False for line in lines),
        "by_kind": {kind: prices([x for x in lines if x.kind == kind and not x.case.healthy]) for kind in KINDS}}
