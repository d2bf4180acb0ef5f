"""threads-few and threads-oversubscribed: the whole model forward and backward with the job's number of threads, against
as many as the machine has for it."""
from .cores import cpus_and_cores, processes_here
from .model_copy import captured_call, check_can_copy, forward_backward, subject_of, twin_of, without_global_hooks
from .replace import Skipped

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
    advice = _advice(torch.get_num_threads(), *cpus_and_cores(), processes_here())
    if advice is None:
        return
    rule, fitting = advice
    try:
        call = captured_call(recorder)
        check_can_copy(bench, call)
        bench.each(rule, [(bench, call, rule, fitting)], _measure_model)
    except Skipped as why:
        bench.skipped(rule, why)


def _measure_model(bench, call, rule, fitting):
    import torch

    threads = torch.get_num_threads()
    run = forward_backward(twin_of(call.inner), call, bench.device.type, call.autocast)

    def with_threads(n):
        def run_with():
            torch.set_num_threads(n)
            run()

        return run_with

    try:
        with without_global_hooks():
            bench.alternate(rule, subject_of(call), "%d threads, on a copy, with a captured input" % fitting,
                            with_threads(threads), with_threads(fitting), call.count)
    finally:
        torch.set_num_threads(threads)
