"""What bench/lint has measured, as a table."""
import dataclasses
import os

import job_cases

HEAD = ("job", "rule", "fix", "losses", "predicted", "[90 %]", "measured", "[90 %]", "pairs", "A/A", "prediction and measurement")

SMALL_GAIN = 0.02  # what the harness itself is off by, and more: a smaller gain without a price is no miss
BUSY = 0.5  # load average of a machine that was not left to the measurement


def percent(gain):
    return f"{100 * gain:.1f} %"


def gain_and_interval(ratio, low, high):
    """Gains, of ratios of step times: the share of the step that the fix saves."""
    return percent(1 - ratio), f"[{100 * (1 - high):.1f}, {100 * (1 - low):.1f}]"


@dataclasses.dataclass(frozen=True)
class Line:
    case: job_cases.JobCase
    row: dict

    @property
    def priced(self):
        return "ratio" in self.row.get("prediction", {})

    @property
    def learns_otherwise(self):
        """The losses differ by more than is right. Where two runs of the slow job differ, by more than that."""
        found = self.row.get("losses")
        return bool(found) and found["apart"] > max(self.case.tolerance, 2 * found["repeat"])

    def losses(self):
        found = self.row.get("losses")
        if not found:
            return "-"
        said = "bitwise" if found["apart"] == 0 else f"{found['apart']:.1e}"
        if found["repeat"]:
            said += f" (slow again: {found['repeat']:.1e})"
        return said + (" **wrong**" if self.learns_otherwise else "")

    def predicted(self):
        found = self.row.get("prediction")
        if not found:
            return "-", "-"
        if not self.priced:
            return "no price", "-"
        gain, interval = gain_and_interval(found["ratio"], found["ratio_low"], found["ratio_high"])
        return gain + ("" if self.row["blind"] else " *"), interval

    def measured(self):
        found = self.row.get("measured")
        return gain_and_interval(found["ratio"], found["low"], found["high"]) if found else ("-", "-")

    def gains(self):
        """Is the patched job faster beyond doubt, slower beyond doubt, or neither?"""
        found = self.row["measured"]
        return "gains" if found["high"] < 1 else "loses" if found["low"] > 1 else "no difference"

    def why_no_price(self):
        found = self.row["prediction"]
        reason = f": {found['reason']}" if found["reason"] else ""
        return found["verdict"] + reason

    def verdict(self):
        """How far the prediction was right."""
        if "measured" not in self.row or "prediction" not in self.row:
            return "-"
        found, truth = self.row["prediction"], self.row["measured"]
        if not self.priced:
            missed = self.gains() == "gains" and truth["high"] < 1 - SMALL_GAIN
            return f"{'**missed**: ' if missed else ''}{self.gains()}; {self.why_no_price()}"
        if found["ratio_low"] <= truth["high"] and truth["low"] <= found["ratio_high"]:
            inside = found["ratio_low"] <= truth["ratio"] <= found["ratio_high"]
            return ("agree" if inside else "intervals touch") + f" ({found['by']})"
        return f"**predicted too {'much' if found['ratio'] < truth['ratio'] else 'little'}** ({found['by']})"

    def cells(self):
        truth = self.row.get("measured")
        floor = self.row.get("floor")
        return (self.case.name, self.case.rule, self.case.fix, self.losses(), *self.predicted(), *self.measured(),
                str(truth["pairs"]) if truth else "-", percent(1 - floor["ratio"]) if floor else "-", self.verdict())


def summary(lines):
    whole = [line for line in lines if "measured" in line.row and "losses" in line.row and "prediction" in line.row]
    priced = [line for line in whole if line.priced]
    agree = [line for line in priced if "**" not in line.verdict()]
    same = [line for line in whole if line.row["losses"]["apart"] == 0]
    return (f"{len(whole)} jobs: losses bitwise the same after the patch in {len(same)}, within tolerance in "
            f"{sum(not line.learns_otherwise for line in whole) - len(same)}, wrong in {sum(line.learns_otherwise for line in whole)}; "
            f"faster beyond doubt in {sum(line.gains() == 'gains' for line in whole)}, slower in "
            f"{sum(line.gains() == 'loses' for line in whole)}; priced {len(priced)}, of which the intervals of prediction and "
            f"measurement meet in {len(agree)}; gains of more than {100 * SMALL_GAIN:.0f} % without a price: "
            f"{sum('**missed' in line.verdict() for line in whole)}.")


def text(lines):
    yield "\t".join(HEAD)
    for line in lines:
        yield "\t".join(line.cells())
    yield summary(lines)


def markdown(lines):
    yield "# Patches of gait lint, predicted and measured"
    yield ""
    yield summary(lines)
    yield ""
    yield "Written by `bench/lint --write-docs`; `bench/lint --job NAME` is one row, `tests/lint/README.md` says how it is measured."
    yield ""
    yield "Each job of `tests/lint/jobs` has one cause planted. `gait lint --diff` writes its patch, with `--unsafe-fixes` where the table"
    yield "says so; `patch -p0` applies it. Losses: those of both versions, as bits, or the largest relative difference. Predicted: what"
    yield "`gait lint --with` says of a recording of the slow job, stored before anything was measured (*: predicted again since, from the"
    yield "same recording). Measured: slow, fixed and slow again in turn. Gains are shares of a step, with 90 % intervals; A/A is the slow job against itself in the same turns."
    yield ""
    for machine in sorted({line.row["machine"] for line in lines if "machine" in line.row}):
        yield f"Machine: {machine}."
    threads = os.environ.get("OMP_NUM_THREADS")
    if threads:
        yield f"Threads of each process: {threads} (`OMP_NUM_THREADS={threads} bench/lint`)."
    loads = [line.row["load"] for line in lines if "load" in line.row]
    if loads and max(loads) > BUSY:
        yield f"Other programs ran beside: the load average was {min(loads):.1f} to {max(loads):.1f} when measurements began."
    yield ""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|" + "---|" * len(HEAD)
    for line in lines:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line.cells()) + " |"
    yield ""
    yield "What is planted:"
    yield ""
    for line in lines:
        predicted = line.row.get("prediction", {}).get("told")
        beside = f"; `gait analyze` tells: {', '.join(predicted)}" if predicted else ""
        yield f"- {line.case.name}: {line.case.note}{beside}"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in markdown(lines))
