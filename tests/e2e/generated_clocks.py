"""What gait analyze says of the ranks of a generated job, against the generator's answers.

   generated_clocks.py GAIT GENERATE_TRACE WORK
"""
import json
import subprocess
import sys

GAIT, GENERATE, WORK = sys.argv[1:4]
RANKS, STEPS = 6, 4
JOBS = {  # options, the straggler, the classes that may be its cause
    "late input": (["--straggler", "2", "--cause", "input"], 2, ("idle: input",)),
    "late compute": (["--straggler", "5", "--cause", "compute", "--slow-ns", "1234567"], 5, ("compute",)),
    "clocks off by a minute": (["--straggler", "1", "--skew-ns", "60000000000"], 1, ("idle: input",)),
    "whole microseconds": (["--straggler", "0", "--dialect", "us"], 0, ("idle: input",)),
    "2021, no sequence numbers": (["--straggler", "3", "--old"], 3, ("idle: input",)),
    "AMD, steps overlap": (["--straggler", "4", "--vendor", "amd", "--overhang"], 4, None),
}


def ns(us):
    return round(us * 1000)


def check(name, options, straggler, causes):
    folder = f"{WORK}/{name}"
    subprocess.run([GENERATE, *options, "--ranks", str(RANKS), "--steps", str(STEPS), "--layers", "4",
                    "-o", folder, "--answers", f"{folder}.answers"], check=True)
    with open(f"{folder}.answers", encoding="utf-8") as f:
        answers = json.load(f)["ranks"]
    done = subprocess.run([GAIT, "analyze", "-q", "--json", folder], capture_output=True, check=True)
    got = json.loads(done.stdout)
    job, ranks = got["job"], got["ranks"]
    assert job["aligned_ranks"] == RANKS, job["reason"]
    assert job["straggler_index"] == straggler, job["straggler_index"]
    unit = 1000 if "us" in options or "--old" in options else 1  # files of whole microseconds
    first = answers[0]
    for rank, want in zip(ranks, answers):
        shift = first["clock_offset_ns"] - want["clock_offset_ns"]
        assert abs(ns(rank["clock"]["shift_us"]) - shift) < unit, (rank["clock"], shift)
        assert rank["waits"]["meetings"] == rank["waits"]["collectives"], rank["waits"]
    assert ns(job["skew_max_us"]) < unit, job["skew_max_us"]
    for i, step in enumerate(job["steps"][:STEPS]):
        longest = max(want["steps"][i]["wait_ns"] for want in answers)
        assert abs(ns(step["spread_us"]) - longest) <= unit, (step, longest)
        assert step["latest_index"] == straggler, step
    if causes:
        assert job["cause"]["class"] in causes, job["cause"]
    print(f"{name}: {job['meetings']} collectives, cause {job['cause'] and job['cause']['class']}")


for job_name, (its_options, late, classes) in JOBS.items():
    check(job_name, its_options, late, classes)
