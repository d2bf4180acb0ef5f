"""threads-few and threads-oversubscribed: the whole model forward and backward with the job's number of threads, against
as many as the machine has for it."""
from ..beside import Skipped
from ..cores import cpus_and_cores, processes_here
from .model_copy import measure_copy

FEW, MANY = "threads-few", "threads-oversubscribed"


def _advice(threads, cpus, cores, processes):
    """(rule, threads that would fit), or None."""
    def share(n):
        return max(1, n // processes)

    if cores is not None and threads < share(cores):
        return FEW, share(cores)
    if cpus is not None and threads > share(cpus):
        return MANY, share(cpus)
    return None


def measure(bench, recorder):
    import torch

    if bench.device.type != "cpu":
        return
    threads = torch.get_num_threads()
    advice = _advice(threads, *cpus_and_cores(), processes_here())
    if advice is None:
        return
    rule, fitting = advice
    try:
        measure_copy(bench, recorder, rule, lambda call, run: _ways(call, run, threads, fitting))
    except Skipped as why:
        bench.skipped(rule, why)
    finally:
        torch.set_num_threads(threads)


def _ways(call, run, threads, fitting):
    import torch

    forward_backward = run(call, call.autocast)

    def with_threads(n):
        def run_with():
            torch.set_num_threads(n)
            forward_backward()

        return run_with

    return "%d threads" % fitting, with_threads(threads), with_threads(fitting)
