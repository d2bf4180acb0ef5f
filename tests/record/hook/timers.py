"""What is timed in steps without the tracer."""
import threading
from time import sleep, thread_time

import torch
from gait_hook.recording.timers import Timers
from torch import nn


def the_thread_that_trains_is_timed():
    timers, answer = Timers(), []

    def train():
        timers.install(threading.get_ident())
        torch.ones(2, requires_grad=True).sum().backward()
        answer.append(timers.take()[1])
        timers.remove()

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert answer == [{"backward": 1}], answer


def a_jobs_own_collate_is_timed_and_put_back():
    def put_together(rows):
        sleep(0.002)
        return torch.tensor(rows)

    timers = Timers()
    timers.install(threading.get_ident())
    own, default = (torch.utils.data.DataLoader(range(8), 4, collate_fn=f) for f in (put_together, None))
    batches = iter(own)
    next(batches)
    next(iter(default))
    ns, counts = timers.take()
    assert counts["loader"] == 2 and counts["collate"] == 1 and counts["stack"] == 1, counts
    assert 2e6 <= ns["collate"] <= ns["loader"], ns
    timers.remove()
    assert batches._dataset_fetcher.collate_fn is put_together
    assert torch.equal(next(batches), torch.arange(4, 8))


def workers_that_are_started_are_timed():
    timers = Timers()
    timers.install(threading.get_ident())
    for workers in 0, 1:
        for _ in torch.utils.data.DataLoader(range(2), num_workers=workers):
            pass
    ns, counts = timers.take()
    timers.remove()
    assert counts["epoch"] == 1 and ns["epoch"] > 0, counts
    assert "timers" not in torch.utils.data.DataLoader.__iter__.__code__.co_filename


def _share_of_cpu(put_together):
    """Of the time that a loader takes, what it computes."""
    timers = Timers()
    timers.install(threading.get_ident())
    next(iter(torch.utils.data.DataLoader(range(2), collate_fn=put_together)))
    ns = timers.take()[0]
    timers.remove()
    assert timers._work._file == -1
    return ns["loader_cpu"] / ns["loader"]


def waiting_for_data_is_told_from_computing():
    def busily(rows):
        begin = thread_time()
        while thread_time() - begin < 0.02:
            pass

    # Other work takes from the share of the one and, by cold caches, adds to that of the other: one quiet try will do.
    for tries_left in range(50, -1, -1):
        computes, waits = _share_of_cpu(busily), _share_of_cpu(lambda rows: sleep(0.1))
        if waits < 0.3 and computes > 0.8:
            return
        assert tries_left, (computes, waits)


class Gathers(nn.Module):
    """A part of the model that cannot do without its gather."""

    def forward(self):
        torch.distributed.all_gather([torch.ones(1)], torch.ones(1))


def backward_passes_of_two_threads_do_not_mix():
    timers = Timers()
    timers.install(threading.get_ident())
    begun, may_end = threading.Event(), threading.Event()
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: begun.set() or may_end.wait() and None)
    other = threading.Thread(target=x.sum().backward)
    other.start()
    begun.wait()
    y = torch.ones(1, requires_grad=True)
    y.register_hook(lambda gradient: may_end.set() or other.join())
    y.sum().backward()
    assert not timers._in_backward
    timers.remove()


def waits_for_collectives_are_timed_by_what_they_do():
    import torch.distributed as dist

    store = dist.HashStore()
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    timers = Timers()
    timers.install(threading.get_ident())
    one = torch.ones(1)
    dist.all_reduce(one)
    dist.broadcast(one, 0)
    dist.all_gather([one], torch.ones(1), async_op=True).wait()
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: dist.all_reduce(gradient))
    x.sum().backward()
    ns, counts = timers.take()
    assert counts == {"collective": 1, "exchange": 2, "backward": 1}, counts
    Gathers()()
    timers._timed_wait("collective", lambda work: None)(None)  # a kind of work that cannot be asked what it is
    assert timers.take()[1] == {"collective": 2}
    timers.remove()
    dist.all_reduce(one)
    assert timers.take() == ({}, {})
    dist.destroy_process_group()


def broadcasts_of_buffers_are_timed():
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    timers = Timers()
    timers.install(threading.get_ident())
    bare, normed = (nn.parallel.DistributedDataParallel(net) for net in (nn.Linear(2, 2), nn.BatchNorm1d(2)))
    timers.take()
    bare(torch.ones(3, 2))
    assert timers.take()[1] == {}
    normed._find_common_rank(0, True)
    assert timers.take()[1] == {"collective": 1}
    normed(torch.ones(3, 2))
    with nn.parallel.DistributedDataParallel.join(normed):  # asks who has them: a part of it
        normed(torch.ones(3, 2))
    ns, counts = timers.take()
    assert counts["buffers"] == 2 and ns["buffers"] > 0, counts
    timers.remove()
    normed(torch.ones(3, 2))
    assert timers.take() == ({}, {})
    sleep(0.2)  # gloo's threads let go of tensors, for which they need Python's lock: the end of the group waits for them with it
    dist.destroy_process_group()
