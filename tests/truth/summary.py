"""Predictions held against truths."""
import dataclasses
import math
import statistics

import remedies
import replay_error
from alternate import CONFIDENCE
from cases import rounds
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
    named: tuple = ()  # rules among the findings that tell the planted cause
    rules: tuple = None  # all that were found; None without a prediction
    others: dict = dataclasses.field(default_factory=dict)  # rule: its measurement, of those not planted that proved right
    truth: dict = None
    floor: float = None  # slow over slow - 1
    blind: bool = None
    at: str = None  # when it was predicted
    commit: str = None  # of the predictor's sources; None in rows of before it was stored

    @property
    def fair_place(self):
        """The place without what proved right as well, or None."""
        return self.place and [r for r in self.rules if r not in self.others].index(self.predicted.rule) + 1

    @property
    def line_right(self):
        """Does the finding of the planted cause point at it? None where that is not to be judged: the cause was not found, its
        lines are not known, or it has no name and is found by its line alone."""
        return points_near(self.case, self.predicted) if self.place and self.case.names and self.case.lines else None

    @property
    def line_exact(self):
        """The same by line numbers alone."""
        return None if self.line_right is None else points_at(self.case, self.predicted)

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


def points_at(case, finding):
    """Is one of the finding's lines a planted statement?"""
    return any(at in case.lines for at, _ in finding.lines)


def points_near(case, finding):
    """The same, or a statement of the planted function in the same file."""
    files = {at.split(":")[0] for at in case.lines}
    return points_at(case, finding) or any(
        at.split(":")[0] in files and function.split(".")[-1] == case.function for at, function in finding.lines)


def tells(case, finding):
    """Does the finding tell the planted cause: by its name, or where no rule has a name for it by its line?"""
    return finding.rule in case.names if case.names else points_at(case, finding)


def is_blind(prediction, measured):
    """By their times; a row from a page says it itself."""
    return prediction.get("blind", prediction["at"] < measured["at"])


def line_of(case, results, what="prediction", first=False):
    """what: the row of the prediction; "bare" is that of the bare trace. first: of the first rows instead of the newest."""
    line = Line(case, truth=results.get("truth", case, first))
    floor = results.get("floor", case, first)
    if floor:
        line.floor = floor["ratio"] - 1
    prediction = results.get(what, case, first)
    if prediction is None:
        return line
    line.at, line.commit = prediction["at"], prediction.get("commit")
    findings = findings_of(prediction["findings"])
    line.rules = tuple(dict.fromkeys(f.rule for f in findings))
    told = [f for f in findings if tells(case, f)]
    line.named = tuple(dict.fromkeys(f.rule for f in told))
    if told:
        line.predicted = told[0]
        line.place = line.rules.index(told[0].rule) + 1
    measured = {rule: results.get(remedies.ROW + rule, case, first) for rule in line.rules if rule not in line.named}
    line.others = {rule: row for rule, row in measured.items() if remedies.holds(row)}
    if line.truth:
        line.blind = is_blind(prediction, line.truth)
    return line


def beside_of(case, results):
    """A line for each finding that was not planted and was measured under its remedy, whichever way it went."""
    prediction = results.get("prediction", case)
    lines = []
    for f in findings_of(prediction["findings"]) if prediction else ():
        measured = not tells(case, f) and results.get(remedies.ROW + f.rule, case)
        if measured and f.rule not in [line.predicted.rule for line in lines]:
            lines.append(Line(case, predicted=f, truth=measured, blind=is_blind(prediction, measured)))
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


def by_how(lines):
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
    right = sum(len(line.named) + len(line.others) for line in asked)
    return {
        "recall": recall(lines), "precision": right / found if found else None,
        "ranked_first": share([line.fair_place == 1 for line in planted]),
        "ranked_first_strict": share([line.place == 1 for line in planted]),
        "line": share([line.line_right for line in asked if line.line_right is not None]),
        "line_exact": share([line.line_exact for line in asked if line.line_exact is not None])}


def recall(lines):
    return share([bool(line.place) for line in lines if line.rules is not None and not line.case.healthy])


def by_kind(lines, bare):
    """bare adds what its trace alone had to model: replacements that the recording measured are modelled there."""
    groups = {kind: [x for x in lines if x.kind == kind and not x.case.healthy] for kind in KINDS}
    groups["c"] += [x for x in bare if x.case.kind == "replaced"]
    return {kind: prices(group) for kind, group in groups.items()}


def by_round(first, lines):
    """Each round as its first rows have it: predicted and measured once, before anything was changed for it. first: the lines of
    these rows; lines: those of the newest."""
    result = {}
    for name in rounds([line.case for line in first]):
        of_round = [line for line in first if line.case.round == name]
        predicted = [line for line in of_round if line.rules is not None]
        commits = dict.fromkeys(line.commit for line in sorted(predicted, key=lambda line: line.at) if line.commit)
        result[name] = {
            "cases": len(of_round), "predicted": len(predicted), "blind": sum(line.blind is True for line in predicted),
            "not_blind": sum(line.blind is False for line in predicted),
            "days": sorted({line.at[:10] for line in predicted}), "commits": list(commits),
            **{("prices" if k == "cases" else k): v for k, v in prices(of_round).items()}, **causes(of_round),
            "recall_now": recall([line for line in lines if line.case.round == name]), "by_how": by_how(of_round)}
    return result


def newest_of(of_rounds):
    """The newest round, whose cases nothing was tuned on, in few figures."""
    name, of_round = list(of_rounds.items())[-1]
    return {"name": name, "cases": of_round["predicted"], "first": of_round["ranked_first"],
            **{k: of_round[k] for k in ("recall", "precision", "line", "median_error", "worst_error", "interval_coverage")}}


def summarize(lines, bare, beside, of_rounds):
    """Of the recordings and, apart, of the bare traces: a line a case each; and of findings beside the planted ones. of_rounds: what
    by_round gives of every case, also of those that were not chosen."""
    floors = [abs(line.floor) for line in lines if line.floor is not None]
    return {
        "bench": "truth", "cases": sum(line.truth is not None or line.rules is not None for line in lines),
        **{k: v for k, v in prices(lines).items() if k not in ("cases", "median_width")}, **causes(lines), **replay_error.worst(),
        "floor_median": median(floors), "floor_worst": max(floors, default=None),
        "not_blind": sum(line.blind is False for line in (*lines, *bare)), "by_kind": by_kind(lines, bare),
        "newest": newest_of(of_rounds), "by_round": of_rounds,
        "by_how": by_how([line for line in lines if line.case.round != list(of_rounds)[-1]]),
        "bare": {**prices(bare), "recall": recall(bare)}, "beside": prices(beside)}
