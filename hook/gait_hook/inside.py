"""A recording that the job itself begins and ends, where nobody can change how it is started.

    recording = Recording("train.gait")
    recording.begin()    # before the first optimizer step
    recording.end()      # where training ends; else when Python does

What `gait record` does from outside stays as it is: the same recorder, the same files, made into a run by `gait import`. Missing
are only steps without needless calls, which the program would plan while the job runs. Under `gait record` this does nothing, nor
in a process that the job forked meanwhile.
"""
import atexit
import importlib
import os
import shutil
import subprocess
import sys
import tempfile

from .contract import State
from .ranks import FAILED, FINISHED, Ranks

PROGRAM_BESIDE = "../../gait", "../../../../bin/gait", "../../build/gait"  # of the wheel, an installation, a source tree
IMPORT_SECONDS = 300  # other ranks may wait for this one meanwhile: less than the 600 s after which NCCL gives up by default


class Recording:
    def __init__(self, run):
        self.run = os.path.abspath(run)
        self.folder = None  # while it records; rank 0 makes it and removes it
        self._ranks = self._recorder = None
        self._process = None  # that began it: a forked child inherits all of this, and what Python does at its end

    def begin(self):
        """Of each rank. Never raises, and waits for other ranks for a bounded time: the job comes first."""
        if self.folder or os.environ.get("GAIT_RECORD_DIR"):
            return
        try:
            self._begin()
        except Exception:
            _say("nothing is recorded%s: %s" % (self._of_this_rank(), _why()))
            self._give_up()

    def _begin(self):
        import torch
        optimizer = importlib.import_module("torch.optim.optimizer")  # torch.optim does not have it as an attribute

        os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # else the tracer prints on the job's stderr
        self._process = os.getpid()
        self._ranks = Ranks(torch.distributed)
        self.folder = self._ranks.folder(self._make_folder)
        if not self.folder:
            return
        atexit.register(self.end, False)  # before the recorder's own, which then comes first
        from .recording.recorder import Recorder
        from .recording.settings import Settings

        settings = Settings()
        settings.folder = self.folder
        self._recorder = Recorder(settings, optimizer)
        self._recorder.install()
        self._recorder.losses.install()  # the optimizer is there already, and backward() may come before its first step

    def _make_folder(self):
        """Beside the run: ranks on other machines see the same disk there."""
        try:
            return tempfile.mkdtemp(prefix=os.path.basename(self.run) + ".", dir=os.path.dirname(self.run))
        except OSError as e:
            _say("nothing is recorded: no folder beside %s: %s" % (self.run, e.strerror))

    def _of_this_rank(self):
        return " of rank %d" % self._ranks.rank if self._ranks and self._ranks.world > 1 else ""

    def _give_up(self):
        """Of this rank alone: others may record into the folder, and rank 0 still makes their run. Never raises."""
        recorder, self._recorder = self._recorder, None
        if recorder:
            recorder.give_up(State.FAILED, "the recorder could not begin: %s" % _why())
        if not self.folder or self._ranks.world > 1 and self._ranks.rank == 0:
            return
        folder, self.folder = self.folder, None
        atexit.unregister(self.end)
        if self._ranks.world > 1:
            self._ranks.leave_mark(folder, FAILED)
        else:
            shutil.rmtree(folder, ignore_errors=True)

    def end(self, ranks_are_here=True):
        """Of each rank; rank 0 makes the run when all have written, or have not for ranks.SECONDS. Never raises.

        ranks_are_here: at Python's end they may be gone, and nobody waits."""
        folder, self.folder = self.folder, None
        if not folder or self._process != os.getpid():
            return
        atexit.unregister(self.end)
        try:
            if self._recorder:
                self._recorder.finish()
            self._ranks.leave_mark(folder, FINISHED if self._recorder else FAILED)
            if self._ranks.rank == 0:
                self._make_run(folder, self._ranks.missing(folder, ranks_are_here))
        except Exception:
            _say(("what was recorded is in %s: %s" if os.path.isdir(folder) else "nothing is recorded, %s is gone: %s") % (folder, _why()))

    def _make_run(self, folder, missing):
        ranks = self._ranks
        if not os.path.isdir(folder):
            return _say("nothing is recorded: %s was removed while the job ran" % folder)
        finished = ranks.ended(folder, FINISHED)
        if not finished and not missing:
            return shutil.rmtree(folder, ignore_errors=True)  # each rank said why
        if len(finished) < ranks.world:
            _say("%d of %d ranks recorded to their end%s" % (len(finished), ranks.world, _without(missing)))
        program = _program()
        command = [program or "gait", "import", folder, "-o", self.run]
        made = program and _ended_well(command)
        if made and not missing:
            shutil.rmtree(folder, ignore_errors=True)  # it said what it wrote
        else:
            _say("what was recorded is kept; its run is made%s by: %s" % (" again" if made else "", " ".join(command)))


def _without(missing):
    return "; not heard of: rank %s" % ", ".join(map(str, sorted(missing))) if missing else ""


def _ended_well(command):
    try:
        return subprocess.run(command, timeout=IMPORT_SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        _say("gait import took longer than %d s and was ended: the job goes on" % IMPORT_SECONDS)


def _why():
    kind, value = sys.exc_info()[:2]
    return "%s: %s" % (kind.__name__, value)


def _say(text):
    try:
        print("gait: " + text, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # stderr is a file on a full disk, or closed
        pass


def _program():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = (os.path.normpath(os.path.join(here, path)) for path in PROGRAM_BESIDE)
    return next((path for path in beside if os.path.isfile(path) and os.access(path, os.X_OK)), None) or shutil.which("gait")
