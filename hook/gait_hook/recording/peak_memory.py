"""The largest memory of the process since begin(): of the device that it trains on, else of the process itself."""
import resource
import sys


def begin():
    """What was loaded and traced before does not count. Not where the kernel has no such file; then it counts."""
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass


def peak_bytes(device):
    torch = sys.modules.get("torch")
    if device is not None and device.type == "cuda":
        return torch.cuda.max_memory_reserved(device)  # since the job began: the job may ask for this peak too
    try:
        with open("/proc/self/status") as f:
            line = next(line for line in f if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
