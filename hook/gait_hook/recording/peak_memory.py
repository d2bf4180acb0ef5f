"""The largest memory since begin(): of the device that the job trains on, else of the process."""
import ctypes
import gc
import resource
import sys

OF_DEVICE, OF_PROCESS = "reserved", "process"


def begin():
    """What was loaded and traced before does not count, as far as the allocator gives it back and the kernel can begin anew."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except (OSError, AttributeError):  # not Linux, or not glibc
        pass


def peak(device):
    """(bytes, of what)"""
    if device is not None and device.type == "cuda":
        return sys.modules["torch"].cuda.max_memory_reserved(device), OF_DEVICE  # since the job began: this peak is the job's own
    try:
        with open("/proc/self/status") as f:
            line = next(line for line in f if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024, OF_PROCESS
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, OF_PROCESS
