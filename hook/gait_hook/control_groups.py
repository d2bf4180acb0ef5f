"""The control groups of this process and those above them, version 2 and version 1: each may have a limit of its own."""
import os

MOUNTED = "sys/fs/cgroup"


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def folders(root, controller):
    """(version, folder) of the groups that limit this process for that controller, from its own upward."""
    try:
        lines = read(root, "proc/self/cgroup").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = (line.split(":", 2) + ["", ""])[:3]
        if not controllers:
            version, mounted = 2, MOUNTED
        elif controller in controllers.split(","):
            version, mounted = 1, os.path.join(MOUNTED, controller)
        else:
            continue
        for above in _upward(group.strip("/")):
            yield version, os.path.join(root, mounted, above)


def _upward(group):
    while group:
        yield group
        group = os.path.dirname(group)
    yield ""
