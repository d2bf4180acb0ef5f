"""What the ranks of a job that records itself must know of each other, without the job's own communication.

A collective of the job's process group waits for every rank as long as the group's timeout, and where it ends so the group is
broken for the job as well. So rank 0 puts the folder's name into the key-value store through which the ranks met, and each rank
leaves an empty file in that folder when it has written: both are only ever looked at, and for a bounded time.
"""
import os
from time import monotonic, sleep

SECONDS = 30.0  # that one rank waits for others
LOOK_EVERY = 0.05  # seconds
FINISHED, FAILED = "finished", "failed"  # how a rank ended

_agreed = 0  # folders so far: all ranks count the same, whatever goes wrong


def _until(there):
    """Whether it was so within SECONDS."""
    end = monotonic() + SECONDS
    while not there():
        if monotonic() > end:
            return False
        sleep(LOOK_EVERY)
    return True


def _store():
    from torch.distributed import distributed_c10d

    return distributed_c10d._get_default_store()


def _told(store, key, make):
    folder = None
    try:
        folder = make()
    finally:  # else the others would wait for it
        if store:
            store.set(key, folder or "")
    return folder


class Ranks:
    """Of the job's process group; where there is none, one rank."""

    def __init__(self, distributed):
        self.rank, self.world = 0, 1
        self._own = None  # how this rank ended
        if distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1:
            self.rank, self.world = distributed.get_rank(), distributed.get_world_size()
        elif os.environ.get("RANK", "0") != "0":
            raise RuntimeError("there is no process group yet, so only rank 0 records: call begin() after init_process_group()")

    def folder(self, make):
        """What rank 0 makes, at all ranks; None where it made none. Raises where rank 0 does not say, or has another disk."""
        global _agreed
        _agreed += 1
        key = "gait recording %d" % _agreed
        store = _store() if self.world > 1 else None  # not kept: it ends with the job's process group
        if self.rank == 0:
            return _told(store, key, make)
        if not _until(lambda: store.check([key])):
            raise TimeoutError("rank 0 did not call begin() within %g s of this rank" % SECONDS)
        folder = store.get(key).decode()
        if folder and not os.path.isdir(folder):
            raise FileNotFoundError("rank 0 records into %s, which is not on this machine's disks" % folder)
        return folder or None

    def leave_mark(self, folder, how):
        """Where the disk is full there is none, and rank 0 waits its time for it; but not for its own."""
        self._own = how
        try:
            open(self._mark(folder, self.rank, how), "w").close()
        except OSError:
            pass

    @staticmethod
    def _mark(folder, rank, how):
        return os.path.join(folder, "rank-%d.%s" % (rank, how))

    def ended(self, folder, how):
        """Of which ranks there is that mark."""
        return {rank for rank in range(self.world)
                if (self._own == how if rank == self.rank else os.path.exists(self._mark(folder, rank, how)))}

    def missing(self, folder, wait):
        """Ranks that left no mark, after SECONDS at most."""
        def gone():
            return set(range(self.world)) - self.ended(folder, FINISHED) - self.ended(folder, FAILED)

        if wait:
            _until(lambda: not gone())
        return gone()
