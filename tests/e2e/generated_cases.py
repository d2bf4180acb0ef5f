"""The generated traces that generated_answers.py checks: every dialect with every set of features."""
import itertools

DIALECTS = {
    "us": ["--dialect", "us"],
    "epoch-ns": ["--dialect", "epoch-ns"],
    "relative-ns": ["--dialect", "relative-ns"],
    "relative-ns-footer": ["--dialect", "relative-ns", "--base", "footer", "--rank-in", "footer"],
    "relative-ns-no-base": ["--dialect", "relative-ns", "--base", "absent", "--rank-in", "nothing"],
    "us-array": ["--dialect", "us", "--bare"],
    "2021": ["--old"],
    "2021-array": ["--old", "--bare"],
}
FEATURES = {
    "plain": [],
    "all": ["--python", "--shapes", "--flows", "--memory", "--orphans", "--sync-events"],
    "flows-shuffled": ["--flows", "--memory", "--shuffle"],
    "graphs-gzip": ["--graphs", "--flows", "--python", "--gzip"],
    "overhang": ["--overhang", "--python", "--shapes"],
    "no-comm-shuffled": ["--no-comm", "--shuffle", "--python"],
    "marks-none": ["--marks", "none", "--flows"],
    "marks-optimizer": ["--marks", "optimizer", "--python", "--overhang"],
    "marks-lightning": ["--marks", "lightning", "--shapes", "--memory"],
}
JOBS = {
    "no straggler": [],
    "late input": ["--straggler", "2", "--cause", "input"],
    "late compute": ["--straggler", "1", "--cause", "compute", "--slow-ns", "1234567"],
    "late input, us": ["--straggler", "0", "--dialect", "us", "--rank-in", "name"],
    "late compute, AMD, overhang": ["--straggler", "3", "--cause", "compute", "--vendor", "amd",
                                    "--overhang", "--shuffle"],
    "late input, 2021": ["--straggler", "3", "--old", "--flows"],
}


def single():
    """Names and options of traces of one rank."""
    seed = 0
    for dialect, vendor, form, features in itertools.product(
            DIALECTS, ("nvidia", "amd"), ("pretty", "compact"), FEATURES):
        seed += 1
        options = [*DIALECTS[dialect], "--vendor", vendor, *FEATURES[features]]
        options += ["--compact"] if form == "compact" else []
        options += ["--layers", "3", "--steps", "4", "--seed", str(seed)]
        yield f"{dialect}, {vendor}, {form}, {features}", options


def several():
    """Names and options of traces of a job."""
    for name, options in JOBS.items():
        yield name, [*options, "--ranks", "4", "--steps", "3", "--layers", "4"]
