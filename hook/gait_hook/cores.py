"""CPUs and cores that this process may use: by its affinity, and by its control group's quota (version 2).

Two CPUs may be one core; PyTorch's own choice of threads is one a core. Where the machine does not say
which CPUs share one, the number of cores is not known.
"""
import math
import os

from .control_groups import folders, read

LAUNCHERS = ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")


def processes_here():
    """Of this job on this machine, as launchers say: they share what it has."""
    sizes = [os.environ.get(name, "") for name in LAUNCHERS]
    return max([int(size) for size in sizes if size.isdigit()] + [1])


def cpus_and_cores(root="/", affinity=None):
    """(CPUs, cores), each at most the quota rounded up; None where it is not known."""
    try:
        cpus = affinity if affinity is not None else os.sched_getaffinity(0)
    except (AttributeError, OSError):
        return None, None
    quota = _quota(root)
    cores = _cores(root, cpus)
    return (_capped(len(cpus), quota), _capped(cores, quota))


def _capped(n, quota):
    return n if n is None or quota is None else max(1, min(n, math.ceil(quota)))


def _cores(root, cpus):
    try:
        return len({_core(root, cpu) for cpu in cpus}) or None
    except (OSError, ValueError):
        return None


def _core(root, cpu):
    folder = os.path.join(root, "sys/devices/system/cpu/cpu%d/topology" % cpu)
    core = int(read(folder, "physical_package_id")), int(read(folder, "core_id"))
    if core[1] < 0:
        raise ValueError("the kernel does not know")
    return core


def _quota(root):
    """In CPUs, the least of this process's control group and those above it; None: none is set."""
    quotas = [_quota_of(os.path.join(folder, "cpu.max")) for version, folder in folders(root, "cpu") if version == 2]
    return min((quota for quota in quotas if quota is not None), default=None)


def _quota_of(path):
    """Of a file that says "max 100000" or, for one and a half CPUs, "150000 100000"."""
    try:
        quota, period = read(path).split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None
