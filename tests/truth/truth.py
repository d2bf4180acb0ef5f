"""How true are the prices? bench/truth [--quick] [--truth-only] [--case NAME]… [--round NAME] [--out FILE] [--write-docs]

For each case of tests/truth/cases.tsv: the slow job is recorded and Gait's predictions are stored, of the recording and of its
bare trace; then slow, fixed and slow again run in turn: fixed over slow is the truth, slow over slow what the harness itself is off
by; then the same with the remedies of other findings. Rows are appended to --out (build/truth/results.jsonl) as they
come: what is there, or in tests/truth/results.jsonl, is not measured again. The last line is JSON.
"""
import argparse
import json
import os
import sys

import alternate
import cases
import page
import predict
import remedies
import results
import summary
import trainer

PAIRS, PAIRS_OF_LONG_BLOCKS, QUICK_PAIRS = 150, 30, 15  # at most
LONG_BLOCK = 30
CORES = 2  # what the jobs are sized for
EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_ENVIRONMENT = 1, 2, 3, 4


def say(words):
    print(words, file=sys.stderr, flush=True)


def options():
    parser = argparse.ArgumentParser(prog="bench/truth", description="How true are the prices of fixes?")
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_PAIRS} pairs a case instead of {PAIRS}")
    parser.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given several times")
    parser.add_argument("--round", metavar="NAME", help="only the cases of this round, as round-1")
    parser.add_argument("--truth-only", action="store_true", help="measure without asking for predictions")
    parser.add_argument("--predict-only", action="store_true", help="store the predictions without measuring")
    parser.add_argument("--analyze-again", action="store_true",
                        help="predict anew from the recordings beside --out, after a change of the analysis; measure nothing")
    parser.add_argument("--report-only", action="store_true", help="print what --out holds")
    parser.add_argument("--pairs", type=int, help="pairs a case, at most")
    parser.add_argument("--out", default=os.path.join(predict.ROOT, "build", "truth", "results.jsonl"))
    parser.add_argument("--anew", action="store_true", help="leave tests/truth/results.jsonl aside: measure everything here")
    parser.add_argument("--write-docs", action="store_true",
                        help="write docs/truth.md of every case, and the rows behind it to tests/truth/results.jsonl")
    chosen = parser.parse_args()
    if chosen.pairs is not None and chosen.pairs < 1:
        parser.error("--pairs needs at least 1")
    if chosen.anew and chosen.write_docs:
        parser.error("--write-docs is of all sittings; leave --anew out")
    return chosen


def choose(every, names):
    known = {case.name: case for case in every}
    unknown = [name for name in names or [] if name not in known]
    if unknown:
        raise cases.BadTable(f"no case {unknown[0]} in tests/truth/cases.tsv")
    return [known[name] for name in names] if names else every


def of_round(selected, name):
    chosen = [case for case in selected if name in (None, case.round)]
    if not chosen:
        raise cases.BadTable(f"no case of {name} is chosen; rounds are {', '.join(cases.rounds(selected))}")
    return chosen


def pairs_of(case, chosen):
    pairs = chosen.pairs or (QUICK_PAIRS if chosen.quick else PAIRS)
    return min(pairs, PAIRS_OF_LONG_BLOCKS) if case.block >= LONG_BLOCK else pairs


def predictor_of(case):
    return trainer if case.trains_with_gait else predict


def measurer_of(case):
    return trainer if case.trains_with_gait else alternate


class Bench:
    def __init__(self, chosen, selected):
        self.chosen, self.cases, self.results = chosen, selected, results.Results(chosen.out, None if chosen.anew else results.KEPT)
        self.why_not = "not asked for" if chosen.truth_only else predict.available()
        self.predictor = "" if self.why_not else predict.predictor()
        self.commit = predict.commit()
        self.failed = 0

    def predict(self, case):
        missing = [what for what in predictor_of(case).ROWS
                   if (self.results.get(what, case) or {}).get("predictor") != self.predictor]
        if self.why_not or not missing:
            return
        try:
            for what, findings in predictor_of(case).predict(case, self.recording_of(case)):
                if what in missing:
                    self.results.add(what, case, predictor=self.predictor, commit=self.commit, findings=findings)
        except predict.NoPrediction as why:
            self.failed += 1
            say(f"{case.name}: no prediction: {why}")

    def analyze_again(self):
        """Predictions that know the truths: they are marked as not blind."""
        for case in self.cases:
            path = self.recording_of(case)
            if os.path.exists(path):
                self.results.add("prediction", case, predictor=self.predictor, commit=self.commit,
                                 findings=predictor_of(case).predict_again(path))

    def recording_of(self, case):
        return os.path.join(os.path.dirname(os.path.abspath(self.chosen.out)), case.name + ".gait")

    def compare(self, what, case, second, work=1.0, pairs=None, options=(), measured_as=None):
        if self.results.get(what, case):
            return
        try:
            measured, floor = measurer_of(case).compare(
                measured_as or case, case.slow, second, pairs or pairs_of(case, self.chosen), work, options)
            self.results.add(what, case, **measured, machine=page.machine())
            if what == "truth":
                self.results.add("floor", case, **floor)
        except alternate.JobFailed as why:
            self.failed += 1
            say(f"{case.name}: {what}: {why}")

    def measure_others(self, case):
        """Findings that were not planted, as far as they have a remedy."""
        found = summary.line_of(case, self.results).rules or ()
        for rule, remedy in remedies.others(case, found).items():
            longer = remedies.lengthened(case, remedy)
            self.compare(remedies.ROW + rule, case, (*case.slow, *remedy.job), remedy.work,
                         remedies.pairs(pairs_of(longer, self.chosen)), remedy.serve, longer)

    def run(self):
        for i, case in enumerate(self.cases):
            if cases.missing(case):
                say(f"[{i + 1}/{len(self.cases)}] {case.name}: skipped: {cases.missing(case)}")
                continue
            say(f"[{i + 1}/{len(self.cases)}] {case.name}" +
                (f": no prediction: {self.why_not}" if self.why_not and not self.results.get("prediction", case) else ""))
            self.predict(case)
            if self.chosen.predict_only:
                continue
            if not case.healthy:
                self.compare("truth", case, case.fixed, case.work)
            self.measure_others(case)


def everything_of(chosen, kept, of_rounds):
    """(lines, those of bare traces, those beside, the summary) of these cases."""
    lines = [summary.line_of(case, kept) for case in chosen]
    bare = [summary.line_of(case, kept, "bare") for case in chosen]
    beside = [line for case in chosen for line in summary.beside_of(case, kept)]
    return lines, bare, beside, summary.summarize(lines, bare, beside, of_rounds)


def write_docs(every, kept, of_rounds):
    with open(os.path.join(predict.ROOT, "docs", "truth.md"), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in page.markdown(*everything_of(every, kept, of_rounds)))


def report(bench, every):
    of_rounds = summary.by_round([summary.line_of(case, bench.results, first=True) for case in every],
                                 [summary.line_of(case, bench.results) for case in every])
    lines, bare, beside, total = everything_of(bench.cases, bench.results, of_rounds)
    if bench.why_not and not any(line.rules is not None for line in lines):
        total["no_predictions"] = bench.why_not
    for line in page.text(lines, bare, beside, total):
        print(line)
    if bench.chosen.write_docs:
        write_docs(every, bench.results, of_rounds)
        bench.results.keep(every)
    print(json.dumps(total))


def main():
    chosen = options()
    try:
        every = cases.read()
        bench = Bench(chosen, of_round(choose(every, chosen.case), chosen.round))
    except cases.BadTable as problem:
        say(f"bench/truth: {problem}")
        return EXIT_INPUT
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < CORES:
        say(f"bench/truth: the jobs need {CORES} cores")
        return EXIT_ENVIRONMENT
    os.sched_setaffinity(0, cores[:CORES])
    try:
        if chosen.analyze_again:
            bench.analyze_again()
        elif not chosen.report_only:
            bench.run()
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
    report(bench, every)
    return EXIT_FAILED if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
