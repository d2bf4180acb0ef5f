"""bench/lint [--quick] [--job NAME]… [--anew] [--report-only] [--write-docs]

For each job of tests/lint/jobs.tsv: it is recorded, `gait lint --with` predicts what its planted cause costs, then the patch of
`gait lint --diff` is applied, both versions train for LOSS_STEPS steps, and slow, fixed and slow again run in turn
(tests/truth/alternate.py). The prediction is stored before anything is measured. Rows are kept in build/lint/results.jsonl; what was
measured with --quick is measured again without it.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile

import job_cases
import job_page
import loss_curve  # also adds tests/truth to the path

import alternate
import cases as truth_cases
import page as truth_page
import predict

PAIRS, QUICK_PAIRS = 80, 12  # at most
QUICK_STARTS = 3  # of the jobs, instead of alternate.STARTS
RECORD_OPTIONS = ("--stop-after", "--replacements", "12")
LOSS_STEPS = ("--steps", "32")
LOSS_PATIENCE_S = 600
RESULTS = os.path.join(job_cases.ROOT, "build", "lint", "results.jsonl")
EXIT_FAILED, EXIT_INPUT = 1, 3


def say(words):
    print(words, file=sys.stderr, flush=True)


def options():
    parser = argparse.ArgumentParser(prog="bench/lint", description="Jobs patched by gait lint: their losses and times.")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_PAIRS} pairs a job instead of {PAIRS}")
    parser.add_argument("--job", action="append", metavar="NAME", help="only this job; may be given several times")
    parser.add_argument("--anew", action="store_true", help="measure again what is there")
    parser.add_argument("--predict-again", action="store_true",
                        help="predict anew from the recordings that are there; measure nothing. Marked as not blind")
    parser.add_argument("--report-only", action="store_true", help="print what was measured")
    parser.add_argument("--write-docs", action="store_true", help="write docs/lint-jobs.md")
    return parser.parse_args()


def as_truth_case(case, script):
    """What the harness of tests/truth takes."""
    return truth_cases.Case(
        name=case.name, round="round-1", slow=(script,), fixed=(), names=(), lines=(), function="-", kind="-",
        processes=case.processes, same_losses=True, work=1.0, steps=case.steps, block=case.block, skip=case.skip, needs=(),
        note=case.note)


def price_of(said, cost):
    """The ratio and its interval of the finding of `gait analyze` that a finding of lint was tied to."""
    price = said["findings"][cost["finding"] - 1]["price"]
    if not price or price["ratio"] is None:
        return {"verdict": "told without a price"}
    return {field: price[field] for field in ("ratio", "ratio_low", "ratio_high")}


def others_told(said):
    return [finding["rule"] for finding in said["findings"]]


def predict_from(case, folder, run):
    """What a recording says of the planted cause."""
    said = predict.analysis(run)
    predict.price_beside_steps(said)
    slow = os.path.join(folder, "slow")
    row = {"verdict": "left out", "reason": job_cases.why_left_out(case, slow, run), "told": others_told(said),
           "step_ms": said["ranks"][0]["step"]["ms"]}
    for finding in job_cases.findings(case, slow, "--with", run):
        cost = finding["cost"]
        row.update(verdict=cost["verdict"], reason=cost["reason"] or "", by=cost["rule"], sharing=cost["sharing"],
                   holds_ms=cost["holds_ms"])
        if cost["finding"]:
            row.update(price_of(said, cost))
            break
    return row


def recorded(case, script, keep):
    """The path of a recording of the job as it stands."""
    if not os.path.exists(keep):
        with tempfile.TemporaryDirectory() as traces:
            predict.record(as_truth_case(case, script), keep, os.path.join(traces, "traces"), RECORD_OPTIONS)
    return keep


def losses(case, slow, fixed):
    """How the curves of both differ, and how those of two runs of the slow job do."""
    first, again, second = [loss_curve.losses_of(path, LOSS_STEPS, case.processes, patience_s=LOSS_PATIENCE_S)
                            for path in (slow, slow, fixed)]
    return {"steps": len(first), "apart": loss_curve.difference(first, second), "repeat": loss_curve.difference(first, again)}


class Bench:
    def __init__(self, chosen):
        self.chosen, self.rows, self.failed = chosen, {}, 0
        if os.path.exists(RESULTS):
            with open(RESULTS, encoding="utf-8") as file:
                self.rows = {row["name"]: row for row in map(json.loads, file)}
        os.makedirs(os.path.dirname(RESULTS), exist_ok=True)

    def keep(self, case, **news):
        row = self.rows.setdefault(case.name, {"name": case.name})
        row.update(news)
        with open(RESULTS + ".new", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in self.rows.values())
        os.replace(RESULTS + ".new", RESULTS)

    def recording_of(self, case):
        return os.path.join(os.path.dirname(RESULTS), case.name + ".gait")

    def forget(self, case):
        self.rows.pop(case.name, None)
        if os.path.exists(self.recording_of(case)):
            os.remove(self.recording_of(case))

    def run_one(self, case, folder):
        slow, fixed, _ = job_cases.make_pair(case, folder)
        row = self.rows.get(case.name, {})
        if "prediction" not in row or self.chosen.predict_again:
            run = recorded(case, slow, self.recording_of(case))
            self.keep(case, prediction=predict_from(case, folder, run), blind="measured" not in row, commit=predict.commit())
        if self.chosen.predict_again:
            return
        if "losses" not in row:
            self.keep(case, losses=losses(case, slow, fixed))
        if "measured" not in row or (row.get("quick") and not self.chosen.quick):
            load = os.getloadavg()[0]
            pairs = QUICK_PAIRS if self.chosen.quick else PAIRS
            measured, floor = alternate.compare(as_truth_case(case, slow), (slow,), (fixed,), pairs)
            self.keep(case, measured=measured, floor=floor, quick=self.chosen.quick, load=load,
                      machine=truth_page.machine())

    def run(self, cases):
        for i, case in enumerate(cases):
            say(f"[{i + 1}/{len(cases)}] {case.name}")
            if self.chosen.anew:
                self.forget(case)
            folder = os.path.join(os.path.dirname(RESULTS), "pairs", case.name)
            shutil.rmtree(folder, ignore_errors=True)
            try:
                self.run_one(case, folder)
            except (job_cases.BadPatch, loss_curve.JobFailed, predict.NoPrediction, alternate.JobFailed) as why:
                self.failed += 1
                say(f"{case.name}: {why}")


def main():
    chosen = options()
    every = job_cases.read()
    cases = [case for case in every if not chosen.job or case.name in chosen.job]
    if not cases:
        say(f"bench/lint: no such job in {job_cases.TABLE}")
        return EXIT_INPUT
    if chosen.quick:
        alternate.STARTS = QUICK_STARTS
    bench = Bench(chosen)
    try:
        if not chosen.report_only:
            bench.run(cases)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
    lines = [job_page.Line(case, bench.rows[case.name]) for case in every if case.name in bench.rows]
    for line in job_page.text(lines):
        print(line)
    if chosen.write_docs:
        job_page.write(os.path.join(job_cases.ROOT, "docs", "lint-jobs.md"), lines)
    return EXIT_FAILED if bench.failed or any(line.learns_otherwise for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
