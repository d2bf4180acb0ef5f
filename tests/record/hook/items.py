"""How items of a data set are made: whether random numbers are drawn for them."""
import random
import subprocess
import sys
import tempfile
import threading

import torch
from gait_hook.recording.draws import OwnRandomness, shared_states
from gait_hook.recording.fetching import Fetching, LEAF_BYTES
from gait_hook.recording.timers import Timers

from shared import Odd, model_and_optimizer, recorder_in


class Items(torch.utils.data.Dataset):
    """Eight of them, each of four numbers, made by a function."""

    def __init__(self, make, **held):
        self.make = make
        self.__dict__.update(held)

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return self.make(torch.full((4,), float(i)))


def noisy(x):
    return x + torch.rand(4)


def half_the_time(x):
    return -x if random.random() < 0.5 else x


def shuffled(x):
    return x[coin.choice([[0, 1, 2, 3], [3, 2, 1, 0]])]


def seeded_by_the_item(x):
    return x + torch.rand(4, generator=torch.Generator().manual_seed(int(x[0])))


def turned(x):
    return x.flip(0)


def turned_twice(x):
    return turned(turned(x))


coin = random.Random(0)


def facts_of(dataset, **options):
    """Of a loader that is looked at for two batches."""
    timers = Timers()
    timers.install(threading.get_ident())
    try:
        timers.fetching.install()
        batches = iter(torch.utils.data.DataLoader(dataset, **{"batch_size": 2, "shuffle": True, **options}))
        next(batches), next(batches)
        timers.fetching.remove()
        own_fetch = "fetch" not in getattr(batches, "_dataset_fetcher", batches).__dict__
        assert own_fetch
        return timers.fetching.facts()
    finally:
        timers.remove()


def items_that_draw_are_told_from_those_that_do_not():
    for make in (turned, turned_twice, lambda x: turned(x)):
        facts = facts_of(Items(make))
        assert facts.pop("free_bytes") > 0
        assert facts == {"loader_draws": 0, "loader_items": 8, "loader_item_bytes": LEAF_BYTES + 16}, facts
    for make in (noisy, half_the_time, shuffled, seeded_by_the_item, lambda x: turned(noisy(x))):
        assert facts_of(Items(make))["loader_draws"] == 1, make
    for held in (torch.Generator(), random.Random(), [{"flip": random.Random()}], coin.choice):
        assert facts_of(Items(turned, held=held))["loader_draws"] == 1, held
        assert facts_of(torch.utils.data.Subset(Items(turned, held=held), range(4)))["loader_draws"] == 1, held


def numpys_shared_generator_is_looked_at_too():
    import numpy

    assert facts_of(Items(turned))["loader_draws"] == 0
    states = shared_states()
    assert states == shared_states()
    numpy.random.rand()
    assert states != shared_states()


def what_is_drawn_when_a_batch_is_put_together_is_no_matter():
    assert facts_of(Items(turned), collate_fn=lambda rows: noisy(torch.stack(rows)))["loader_draws"] == 0


def drawing_is_not_guessed_at():
    """Streams have no items, single items no batches; how large an object is, is not known; of several data sets it is not known
    whose items they are."""

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            return iter(range(8))

        def __len__(self):
            return 8

    assert facts_of(Stream(), shuffle=False) == {}
    assert facts_of(Items(turned), batch_size=None) == {}
    assert facts_of(Items(lambda x: Odd()), collate_fn=len) == {}
    fetching = Fetching()
    fetching.install()
    first, second = (iter(torch.utils.data.DataLoader(Items(turned))) for _ in range(2))
    for iterator in (first, second):
        assert fetching.watch(iterator)
        fetching.unwatch()
    assert fetching.facts() == {}
    assert not fetching.watch(Odd()) and fetching.facts() == {}


def a_large_data_set_is_not_searched_without_end():
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert not OwnRandomness(Items(turned, held=deep)).found()
    held = {str(i): [[i, j] for j in range(16)] for i in range(5000)}
    assert OwnRandomness(Items(turned, **held)).found()  # may be


MANY_TENSORS = """
import os, torch
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
torch.tensor(0.0)
before = held()
kept = [torch.tensor(float(i)) for i in range(100_000)]
print((held() - before) / len(kept))
"""


def a_tensor_of_one_number_takes_about_as_much_as_is_reckoned():
    """In a process of its own, which has nothing freed to take again."""
    taken = float(subprocess.run([sys.executable, "-c", MANY_TENSORS], capture_output=True, check=True, text=True).stdout)
    assert LEAF_BYTES / 2 < taken < LEAF_BYTES * 2, taken


def items_are_looked_at_in_steps_that_are_not_timed():
    model, optimizer = model_and_optimizer()
    looked = set()

    def make(x):
        if recorder.timers.fetching._before is not None:
            looked.add(recorder.cycle.steps() + 1)
        return x[:2]

    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=2, traced=1, rounds=3, replacements=0)
        try:
            dataset = Items(lambda x: make(x))
            for _ in range(10):
                for x in torch.utils.data.DataLoader(dataset, 2):
                    model(x).sum().backward()
                    optimizer.step()
        finally:
            recorder._uninstall()
    timed = {step["number"] for r in recorder.result.rounds for kind in ("untraced", "traced") for step in r[kind]}
    assert len(looked) == 3 and not looked & timed, (looked, timed)
    assert recorder.result.fetching["loader_items"] == 8, recorder.result.fetching
