"""The exact losses of a job: what each backward() is called on, bit by bit, whatever the job prints.

Each run is a process forked from this one, which has PyTorch loaded and has not used it: its thread pools do not survive a fork.
"""
import contextlib
import faulthandler
import functools
import os
import runpy
import sys
import tempfile
import time
import traceback

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "truth"))

import torch  # noqa: E402
import torch._dynamo  # noqa: E402,F401  loaded once, for all the forks
import torch.distributed  # noqa: E402
import torch.nn.parallel  # noqa: E402,F401

from alternate import free_port, rank_environment  # noqa: E402
from check_jobs import wait_for  # noqa: E402


class JobFailed(Exception):
    """The text has the end of what the job said."""


def note_losses(file):
    """From now on each loss is a line of the file, in hexadecimal."""
    backward = torch.Tensor.backward

    @functools.wraps(backward)
    def noting(loss, *args, **kwargs):
        print(float(loss.detach()).hex(), file=file, flush=True)
        return backward(loss, *args, **kwargs)

    torch.Tensor.backward = noting


def _become_job(path, options, environment, output, losses, threads, patience_s):
    """In the forked process: the job; does not return."""
    code = 1
    try:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        faulthandler.dump_traceback_later(patience_s - 5, file=2)  # where it hangs, if it does
        os.environ.update(environment)
        os.chdir(os.path.dirname(path))
        sys.path[0] = os.path.dirname(path)
        if threads:
            torch.set_num_threads(threads)
        note_losses(losses)
        # Ranks part when both are done; gloo's own threads now and then never end in a forked process.
        torch.distributed.destroy_process_group = torch.distributed.barrier
        sys.argv = [path, *options]
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


def losses_of(path, options, processes=1, threads=0, patience_s=60):
    """The losses of the first process, each as float.hex() gives it. threads: of each process; 0: as PyTorch chooses."""
    port, children = free_port(), []
    with contextlib.ExitStack() as files:
        outputs = [files.enter_context(tempfile.TemporaryFile()) for _ in range(processes)]
        losses = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in range(processes)]
        for rank in range(processes):
            child = os.fork()
            if child == 0:
                environment = rank_environment(rank, processes, port)
                _become_job(path, options, environment, outputs[rank], losses[rank], threads, patience_s)
            children.append(child)
        until = time.monotonic() + patience_s
        codes = [wait_for(child, until) for child in children]
        for code, output in zip(codes, outputs):
            if code != 0:
                output.seek(0)
                said = output.read().decode(errors="replace").strip()[-2000:]
                raise JobFailed(f"{os.path.basename(path)}: " + (f"exit {code}" if code else f"no end after {patience_s} s") + f"\n{said}")
        losses[0].seek(0)
        return losses[0].read().split()


def difference(before, after):
    """0.0: both curves are the same bit by bit; else the largest relative difference, infinite where their lengths differ or a loss
    is not a number."""
    if before == after:
        return 0.0
    if len(before) != len(after):
        return float("inf")
    pairs = [(float.fromhex(a), float.fromhex(b)) for a, b in zip(before, after)]
    worst = max(abs(a - b) / max(abs(a), 1e-30) for a, b in pairs)
    return worst if worst == worst else float("inf")
