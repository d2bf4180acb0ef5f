"""Could the items of a data set be prepared once? Whether fetching them draws random numbers, how many there are, how large.

Seen in loaders without workers, of data sets with a length, in steps that are not timed. What draws in collate_fn is no matter:
batches are put together anew.
"""
import weakref
from collections.abc import Mapping

from ..contract import Fact
from ..cores import processes_here
from ..free_memory import host_free_bytes
from ..observing.lengths import is_watched
from .draws import OwnRandomness, shared_states

LEAF_BYTES = 544  # that Python and torch take for a tensor of one number: tests/record/hook/items.py measures about that
ROWS_MOST = 64  # of a batch, whose size is looked at


class Fetching:
    def __init__(self):
        self.draws = None  # None: not known
        self._items, self._item_bytes, self._free_bytes = 0, 0.0, 0
        self._dataset = None  # a weak reference, or the id of what has none
        self._unclear = False  # several data sets, which are not told apart, or rows of an odd kind
        self._looking = False
        self._fetcher, self._before = None, None  # while a batch is fetched

    def install(self):
        self._looking = True

    def remove(self):
        self._looking = False

    def facts(self):
        if self.draws is None or self._unclear:
            return {}
        return {Fact.LOADER_DRAWS: int(self.draws), Fact.LOADER_ITEMS: self._items,
                Fact.LOADER_ITEM_BYTES: self._item_bytes, Fact.FREE_BYTES: self._free_bytes}

    def watch(self, iterator):
        """Before a fetch: must unwatch() follow? Never raises, as the others: the job calls them."""
        if not self._looking:
            return False
        if self._fetcher is not None:  # a loader within a data set
            self._unclear = True
            return False
        try:
            fetcher = getattr(iterator, "_dataset_fetcher", None)  # workers have their own
            if fetcher is not None and not is_watched() and self._can_be_prepared(fetcher):
                self._meet(fetcher.dataset)
                self._wrap(fetcher)
        except Exception:
            self._unclear = True
        return self._fetcher is not None

    def unwatch(self):
        fetcher, self._fetcher, self._before = self._fetcher, None, None
        if fetcher is not None:
            fetcher.__dict__.pop("fetch", None)

    def items_are_there(self, rows):
        """Between fetching the items and putting them together."""
        if self._before is None:
            return
        try:
            before, self._before = self._before, None
            self.draws = bool(self.draws) or shared_states() != before
            self._item_bytes = max(self._item_bytes, sum(map(_size_of, rows[:ROWS_MOST])) / len(rows[:ROWS_MOST]))
        except Exception:
            self._unclear = True

    def _states(self):
        try:
            return shared_states()
        except Exception:
            self._unclear = True
            return None

    def _can_be_prepared(self, fetcher):
        dataset = type(fetcher.dataset)
        return (fetcher.auto_collation and hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
                and not hasattr(fetcher, "dataset_iter") and "fetch" not in fetcher.__dict__)

    def _meet(self, dataset):
        if self._dataset is not None:
            self._unclear |= _living(self._dataset) != _living(_reference_to(dataset))
            return
        self._dataset = _reference_to(dataset)
        self._items, self._free_bytes = len(dataset), host_free_bytes() // processes_here()
        self.draws = OwnRandomness(dataset).found() or None

    def _wrap(self, fetcher):
        fetch = fetcher.fetch

        def watched(index):
            self._before = self._states()  # not earlier: the sampler may draw
            return fetch(index)

        self._fetcher = fetcher
        fetcher.fetch = watched


def _reference_to(x):
    try:
        return weakref.ref(x)
    except TypeError:
        return id(x)


def _living(reference):
    return id(reference()) if isinstance(reference, weakref.ref) else reference


def _size_of(item):
    """Bytes of an item that is kept: its tensors and arrays, texts, and what each thing takes for itself."""
    import torch

    if isinstance(item, Mapping):
        return sum(map(_size_of, item.values()))
    if isinstance(item, (list, tuple)):
        return sum(map(_size_of, item))
    if isinstance(item, torch.Tensor):
        return LEAF_BYTES + item.numel() * item.element_size()
    if isinstance(item, (str, bytes)):
        return LEAF_BYTES + len(item)
    if item is None or isinstance(item, (int, float, complex)):
        return LEAF_BYTES
    return LEAF_BYTES + item.nbytes  # an array; of whatever else it is not known
