"""Settings of the process that make every step longer, most of them left over from debugging; and what its environment says of
threads and memory.

torch.autograd.profiler.emit_nvtx is none of them: a job that uses it profiles itself and is left alone.
"""
import os
import sys

from ..contract import Fact

VARIABLES = ("OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_WAIT_POLICY", "MKL_NUM_THREADS", "KMP_AFFINITY", "KMP_BLOCKTIME",
             "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT", "MALLOC_ARENA_MAX", "MALLOC_CONF", "MALLOC_CHECK_", "MALLOC_PERTURB_",
             "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "PYTHONMALLOC", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
             "PYTORCH_NO_CUDA_MEMORY_CACHING")


PYTHON_LEAST = 0.05  # of the readings: less may be of a step that differs


def _is_traced():
    """By a debugger or for coverage: with a trace function of this thread or, since Python 3.12, as a tool."""
    if sys.gettrace() is not None:
        return True
    tools = getattr(sys, "monitoring", None)
    return tools is not None and any(tools.get_tool(tool) for tool in (tools.DEBUGGER_ID, tools.COVERAGE_ID))


def _debugs_collectives():
    import torch.distributed as distributed

    return os.environ.get("TORCH_DISTRIBUTED_DEBUG", "").upper() == "DETAIL" and distributed.is_initialized()


def _probes(device):
    import torch
    from torch.backends import cudnn, mkldnn

    yield Fact.DETERMINISTIC, torch.are_deterministic_algorithms_enabled
    yield Fact.TRACE_FUNCTION, _is_traced
    yield Fact.DISTRIBUTED_DEBUG, _debugs_collectives
    if device == "cpu":
        yield Fact.ONEDNN_OFF, lambda: mkldnn.is_available() and not torch._C._get_mkldnn_enabled()
    if device == "cuda":
        yield Fact.LAUNCH_BLOCKING, lambda: os.environ.get("CUDA_LAUNCH_BLOCKING", "0") not in ("", "0")
        yield Fact.CUDNN_BENCHMARK, lambda: cudnn.benchmark
        yield Fact.CUDNN_DETERMINISTIC, lambda: cudnn.deterministic


def _is_on(probe):
    try:
        return bool(probe())
    except Exception:  # a torch that has it elsewhere, or is built without it
        return False


def facts(device, anomaly, python_frac):
    """Of the thread that trains: those that are on. device: its type; anomaly: was anomaly detection on in the last backward pass?
    python_frac: how much of the time operators run under a dispatch mode of the job's."""
    found = {fact: 1 for fact, probe in _probes(device) if _is_on(probe)}
    if anomaly:
        found[Fact.ANOMALY] = 1
    if python_frac > PYTHON_LEAST:
        found[Fact.PYTHON_DISPATCH] = python_frac
    told = ["%s=%s" % (name, os.environ[name]) for name in VARIABLES if os.environ.get(name)]
    return {**found, Fact.ENVIRONMENT: " ".join(told)} if told else found
