"""What is known of one process, as the JSON file that `gait record` reads after the job."""
import json
import os
import platform
import socket
import sys

VERSION = 1


def rank_and_world():
    """Of torch.distributed where it is up, else as launchers say in the environment."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
    except Exception:
        pass
    for rank, world in (("RANK", "WORLD_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                        ("SLURM_PROCID", "SLURM_NTASKS")):
        if os.environ.get(rank, "").isdigit():
            size = os.environ.get(world, "")
            return int(os.environ[rank]), int(size) if size.isdigit() else 0
    return 0, 0


def _torch_facts(facts, device):
    import torch

    facts["torch"] = str(torch.__version__)
    facts["threads"] = torch.get_num_threads()
    facts["device"] = str(device) if device is not None else "cpu"
    if device is not None and device.type == "cuda":
        facts["device"] = torch.cuda.get_device_name(device)


def process_facts(device):
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    facts = {"script": os.path.basename(script), "python": platform.python_version(), "host": socket.gethostname(),
             "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0}
    try:
        _torch_facts(facts, device)
    except Exception:  # torch may be half imported, or the interpreter half gone
        pass
    return facts


class Result:
    def __init__(self, folder):
        self.folder = folder
        self.pid = os.getpid()
        self.state = "started"
        self.rounds = []
        self.tail = []  # [number, step, save, evaluate] of untraced steps after the rounds
        self.replacements = []
        self.notes = []
        self.device = None
        self.rank, self.world = rank_and_world()
        self._path = None

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def trace_path(self, index):
        return os.path.join(self.folder, "trace-%d-%d.json" % (self.pid, index))

    def write(self, cycle):
        """Anew, under a temporary name and then renamed: the reader sees all or the one before."""
        self.rank, self.world = max((self.rank, self.world), rank_and_world(), key=lambda x: x[1])
        value = {
            "gait_record": VERSION, "pid": self.pid, "rank": self.rank, "world": self.world,
            "state": self.state, "steps": cycle.steps(), "optimizer_calls": cycle.calls,
            "optimizers_per_step": cycle.period, "facts": process_facts(self.device),
            "rounds": self.rounds, "tail": self.tail, "replacements": self.replacements,
            "notes": self.notes,
        }
        path = os.path.join(self.folder, "process-%d.json" % self.pid)
        with open(path + ".part", "w") as f:
            json.dump(value, f)
        os.rename(path + ".part", path)
