"""The patch that `gait lint --diff` writes for each job of jobs.tsv applies, and the patched job learns the same.

    check_patches.py [JOB…]

`patch -p0` and `git apply -p0` give the same files; nothing is left to find in them; then both versions take six steps at
--tiny sizes. Where `gait lint` calls the fix safe, and where jobs.tsv has tolerance 0, the losses are the same bit by bit.
"""
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import job_cases
import loss_curve

OPTIONS = ("--steps", "6", "--tiny")
AT_A_TIME = 2


def problem_of(case):
    """What is wrong with a job or its patch, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            slow, fixed, patch = job_cases.make_pair(case, folder)
            if job_cases.apply_with_git(case, folder, patch) != job_cases.text_of(os.path.join(folder, "fixed")):
                return "patch and git apply give different files"
            left = job_cases.findings(case, os.path.join(folder, "fixed"))
            if left:
                return f"found again after the fix: line {left[0]['line']}: {left[0]['title']}"
            before = loss_curve.losses_of(slow, OPTIONS, case.processes, threads=1)
            after = loss_curve.losses_of(fixed, OPTIONS, case.processes, threads=1)
        except (job_cases.BadPatch, loss_curve.JobFailed) as why:
            return str(why)
    apart = loss_curve.difference(before, after)
    if len(before) < 6:
        return f"{len(before)} losses in 6 steps"
    if apart > case.tolerance:
        return f"the losses differ by {apart:.1e}, at most {case.tolerance:.0e} is right: {before} {after}"
    return ""


def main():
    cases = [case for case in job_cases.read() if not sys.argv[1:] or case.name in sys.argv[1:]]
    failed = 0
    with ProcessPoolExecutor(AT_A_TIME, multiprocessing.get_context("fork")) as pool:
        for case, problem in zip(cases, pool.map(problem_of, cases)):
            failed += bool(problem)
            print(f"{case.name}: {problem or 'ok'}", flush=True)
    print(f"{len(cases)} jobs, {failed} wrong")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
