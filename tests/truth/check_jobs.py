"""Every job of the corpus runs, and a fix that must not change the model does not.

    check_jobs.py [CASE…]
    check_jobs.py --each-cause     one case of each cause, and healthy ones: what CI has time for

Each job takes six steps at --tiny sizes in a process forked from one that has PyTorch loaded (and has not used it: its
thread pools do not survive a fork). Exit code 1 if a job fails or slow and fixed give different losses. Jobs whose
packages are not installed are skipped. A job may end with a period begun: it then has some losses more.
"""
import faulthandler
import multiprocessing
import os
import re
import runpy
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor

import torch
import torch._dynamo  # noqa: F401  loaded once, for all the forks: the first step would load it
import torch.distributed  # noqa: F401
import torch.nn.parallel  # noqa: F401
import torch.utils.checkpoint  # noqa: F401

import cases
import trainer
from alternate import JobFailed, free_port, rank_environment

STEPS = 6  # one more than the shortest interval of an interval case
LOSS_TOLERANCE = 1e-5  # relative; another order of sums differs by less than 1e-6, bfloat16 by 2e-5
PATIENCE_S = 60
AT_A_TIME = 2  # cases; they are tiny, and have a thread each


def become_job(command, environment, output):
    """In the forked process: the job, its output in a file; does not return."""
    code = 1
    try:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        faulthandler.dump_traceback_later(PATIENCE_S - 5, file=2)  # where it hangs, if it does
        os.environ.update(environment)
        path = os.path.join(cases.JOBS, command[0])
        sys.path[0] = cases.JOBS
        torch.set_num_threads(1)  # unless the job says otherwise
        # Ranks part when both are done; gloo's own threads now and then never end in a forked process.
        torch.distributed.destroy_process_group = torch.distributed.barrier
        sys.argv = [path, *command[1:], "--steps", str(STEPS), "--log-every", "1", "--tiny"]
        runpy.run_path(path, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def wait_for(child, until):
    """The exit code, or None when it had to be ended."""
    while time.monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


def run(command, processes):
    """(exit codes, losses, what the first process said)."""
    port, outputs, children = free_port(), [], []
    for rank in range(processes):
        outputs.append(tempfile.TemporaryFile())
        child = os.fork()
        if child == 0:
            become_job(command, rank_environment(rank, processes, port), outputs[-1])
        children.append(child)
    until = time.monotonic() + PATIENCE_S
    codes = [wait_for(child, until) for child in children]
    texts = []
    for output in outputs:
        output.seek(0)
        texts.append(output.read().decode(errors="replace"))
        output.close()
    said = next((text for text, code in zip(texts, codes) if code != 0), texts[0])
    losses = [float(x) for x in re.findall(r"^step \d+ loss (\S+)$", texts[0], re.M)]
    return codes, losses, said


def run_trainer(command):
    """As run."""
    try:
        return [0], trainer.losses(command, STEPS), ""
    except JobFailed as why:
        return [1], [], str(why)


def problem_of(command, processes):
    """(what is wrong with the job or "", its losses)."""
    codes, losses, said = run_trainer(command) if command[0] == cases.TRAINER else run(command, processes)
    if any(code != 0 for code in codes):
        ends = " ".join("ended after %d s" % PATIENCE_S if c is None else f"exit {c}" for c in codes)
        return f"{command[0]}: {ends}\n{said}", losses
    if len(losses) < STEPS:
        return f"{command[0]}: {len(losses)} losses instead of {STEPS}\n{said}", losses
    return "", losses


def far_apart(a, b):
    return len(a) != len(b) or any(not abs(x - y) <= LOSS_TOLERANCE * abs(x) for x, y in zip(a, b))  # NaN is far from everything


def check(case):
    """What is wrong with a case, or ""."""
    problem, slow = problem_of(case.slow, case.processes)
    if problem or case.healthy:
        return problem
    problem, fixed = problem_of(case.fixed, case.processes)
    if problem:
        return problem
    if case.same_losses and far_apart(slow, fixed):
        return f"the losses differ: slow {slow}, fixed {fixed}"
    return ""


def of_each_cause(every):
    """The last case of each cause, or of none, and number of processes: the youngest."""
    return list({(case.cause, case.processes): case for case in every}.values())


def chosen_by(names):
    every = cases.read()
    if names == ["--each-cause"]:
        return of_each_cause([case for case in every if not cases.missing(case)])
    return [case for case in every if not names or case.name in names]


def main():
    chosen, failed = chosen_by(sys.argv[1:]), 0
    skipped = {case: cases.missing(case) for case in chosen if cases.missing(case)}
    for case, why in skipped.items():
        print(f"{case.name}: skipped: {why}", flush=True)
    chosen = [case for case in chosen if case not in skipped]
    with ProcessPoolExecutor(AT_A_TIME, multiprocessing.get_context("fork")) as pool:
        for case, problem in zip(chosen, pool.map(check, chosen)):
            failed += bool(problem)
            if problem:
                print(f"{case.name}: {problem}", flush=True)
    print(f"{len(chosen)} cases, {failed} wrong, {len(skipped)} skipped")
    return 1 if failed or not (chosen or skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
