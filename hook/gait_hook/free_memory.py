"""Bytes that this process may still take: of the device, or of the machine and the control groups' limits, shared with
the other processes of the job here."""
from .control_groups import folders, read
from .cores import processes_here

FILES = {2: ("memory.max", "memory.current"), 1: ("memory.limit_in_bytes", "memory.usage_in_bytes")}


def free_bytes(device):
    if device.type == "cuda":
        import torch

        return torch.cuda.mem_get_info(device)[0]
    return host_free_bytes() // processes_here()


def host_free_bytes(root="/"):
    return min([_available(root), *_free_of_groups(root)])


def _available(root):
    for line in read(root, "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _free_of_groups(root):
    """Of each that has a limit. In version 1 no limit is a number that is larger than any machine."""
    for version, folder in folders(root, "memory"):
        limit, used = FILES[version]
        try:
            yield max(0, int(read(folder, limit)) - int(read(folder, used)))
        except (OSError, ValueError):  # no such file, or "max"
            pass
