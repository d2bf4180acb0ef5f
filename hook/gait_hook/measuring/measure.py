"""Other ways to do what the job does, measured in the job, after its traced steps.

Each is measured forward and backward together, in turns with the job's own way, in the job's own
thread, on the job's own device. The random states are put back; nothing of the job is touched: all
works on copies, which are freed.

The seconds are a budget: each rule has its share of what is left, and what does not fit is a note.
"""
from time import monotonic

from ..beside import RandomStates, Skipped, prints_unheard, warnings_unseen
from . import attention, batch, chain, linear, optimizer, precision, settings, threads
from .bench import Bench
from .traced_ops import TracedOps


def _measurements(recorder, bench):
    """(rule, a function that measures it), in the order of what they cost."""
    ops = TracedOps(recorder.events or [])
    return (
        ("optimizer-unfused", lambda: optimizer.measure(bench, recorder)),
        ("attention-unfused", lambda: attention.measure(bench, ops)),
        ("qkv-unfused", lambda: linear.measure(bench, ops)),
        ("elementwise-chain", lambda: chain.measure(bench, recorder.chains)),
        ("process-settings", lambda: settings.measure(bench, recorder)),
        ("threads", lambda: threads.measure(bench, recorder)),
        ("precision-f32", lambda: precision.measure(bench, recorder)),
        ("batch-small", lambda: batch.measure(bench, recorder)),
    )


def measure(recorder):
    import torch

    if recorder.result.device is None:
        return
    bench = Bench(recorder, recorder.result.device)
    end = monotonic() + recorder.settings.replacements
    with RandomStates(), torch.enable_grad(), warnings_unseen(), prints_unheard():
        todo = _measurements(recorder, bench)
        for i, (rule, call) in enumerate(todo):
            bench.deadline = monotonic() + max(0.0, end - monotonic()) / (len(todo) - i)
            _one(recorder, bench, rule, call)
    recorder.result.replacements = bench.rows


def _one(recorder, bench, rule, call):
    rows = len(bench.rows)
    try:
        call()
    except Skipped as why:
        bench.skipped(rule, why)
    except Exception as e:
        del bench.rows[rows:]
        recorder.result.note("%s: not measured: %s: %s" % (rule, type(e).__name__, str(e)[:200]))
