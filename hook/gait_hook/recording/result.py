"""What is known of one process, as the JSON file that `gait record` reads after the job."""
import errno
import gc
import glob
import json
import os
import platform
import socket
import sys

from ..contract import VERSION, Fact, File, State
from ..cores import cpus_and_cores


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

    facts[Fact.TORCH] = str(torch.__version__)
    facts[Fact.THREADS] = torch.get_num_threads()
    facts[Fact.DEVICE] = str(device) if device is not None else "cpu"
    if device is not None and device.type == "cuda":
        facts[Fact.DEVICE] = torch.cuda.get_device_name(device)


def process_facts(device):
    script = sys.argv[0] if getattr(sys, "argv", None) else ""
    facts = {Fact.SCRIPT: os.path.basename(script), Fact.PYTHON: platform.python_version(), Fact.HOST: socket.gethostname()}
    cpus, cores = cpus_and_cores()
    facts.update({k: v for k, v in ((Fact.CPUS, cpus), (Fact.CORES, cores)) if v is not None})
    try:
        _torch_facts(facts, device)
    except Exception:  # torch may be half imported, or the interpreter half gone
        pass
    return facts


class Result:
    def __init__(self, folder):
        self.folder = folder
        self.pid = os.getpid()
        self.state = State.STARTED
        self.rounds = []
        self.tail = []  # [number, step, save, evaluate, garbage, cpu] of untraced steps after the rounds
        self.replacements = []
        self.lengths = []  # of rows, in steps that were looked at (lengths.py)
        self.settings = {}  # that make each step longer (process_settings.py)
        self.fetching = {}  # of items that could be prepared once (fetching.py)
        self.precision = {}  # of traced operators, where it is low (low_precision.py)
        self.losses = self.movement = None  # who knows them (losses.py, movement.py)
        self.notes = []
        self.device = None
        self.rank, self.world = rank_and_world()
        self._written = 0  # rounds that the file on disk names

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def trace_path(self, index):
        return os.path.join(self.folder, "trace-%d-%d.json" % (self.pid, index))

    def flow_path(self):
        return os.path.join(self.folder, "flow-%d.bin" % self.pid)

    def write_in_need(self, cycle):
        """On a full disk the traces that no file names yet make room, so that the reader learns why there are no more."""
        for index in range(len(self.rounds), self._written - 1, -1):
            try:
                return self.write(cycle)
            except OSError as e:
                if e.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                del self.rounds[index:]
                for path in glob.glob(glob.escape(self.trace_path(index)) + "*"):  # the profiler leaves a *.tmp too
                    os.remove(path)
                gc.collect()  # the profiler's results hold the file open, and themselves
        return self.write(cycle)

    def _of_the_model(self):
        losses, movement = self.losses, self.movement
        return {File.LOSSES: losses.rows() if losses else [], File.PARAMETERS: movement.parameters if movement else [],
                File.MOVEMENTS: movement.rows() if movement else []}

    def write(self, cycle):
        """Anew, under a temporary name and then renamed: the reader sees all or the one before."""
        self.rank, self.world = max((self.rank, self.world), rank_and_world(), key=lambda x: x[1])
        value = {
            File.VERSION: VERSION, File.PID: self.pid, File.RANK: self.rank, File.WORLD: self.world,
            File.STATE: self.state, File.STEPS: cycle.steps(), File.OPTIMIZER_CALLS: cycle.calls,
            File.OPTIMIZERS_PER_STEP: cycle.period, File.FACTS: {**process_facts(self.device), **self.fetching, **self.settings, **self.precision},
            File.ROUNDS: self.rounds, File.TAIL: self.tail, File.REPLACEMENTS: self.replacements,
            File.LENGTHS: self.lengths, **self._of_the_model(), File.NOTES: self.notes,
        }
        path = os.path.join(self.folder, "process-%d.json" % self.pid)
        with open(path + ".part", "w") as f:
            json.dump(value, f)
        os.rename(path + ".part", path)
        self._written = len(self.rounds)
