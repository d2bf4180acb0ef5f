"""How long the rows of the job's batches are, and up to which length they are filled.

Seen in what the job gives to its modules in training, in steps that are not timed: the end of all
rows of a tensor that has one value alone is padding, if rows end at different places and have next
to nothing of that value before.
"""
from .capture import compiles, trains, watch_calls

FILLED_LEAST = 16  # shorter dimensions are features, classes, small groups
INSIDE_MOST = 0.1  # of a row's own places may have the value of the padding: more is sparse data
SHORTEST_MOST = 0.9  # of the longest row: rows of nearly one length are a class or a feature that is not there
TENSORS_MOST = 32  # of a step
NUMBERS_MOST = 1 << 26  # of a tensor


def _filled_places(x, length_dim, end):
    """(rows, length): is there something other than the value at that end of the last or first row?"""
    places = x != x[(end,) * x.dim()]
    for dim in reversed(range(1, x.dim())):
        if dim != length_dim:
            places = places.any(dim)
    return places if end else places.flip(1)


class Field:
    """The rows of one tensor, along one dimension: (rows, filled) with a length for each."""

    def __init__(self, x, length_dim, end):
        self.rows, self.filled = x.shape[0], x.shape[length_dim]
        self.longest, self.padded = self.filled, False
        last = x.select(length_dim, end)
        self.full = bool((last != last[:1]).any())  # rows differ in their last place: all of it is used
        if not self.full and bool((last == x[(end,) * x.dim()]).all()):
            self._measure(_filled_places(x, length_dim, end))

    def _measure(self, places):
        import torch

        lengths = (places * torch.arange(1, self.filled + 1, device=places.device)).amax(1)
        self.longest, shortest, total = int(lengths.max()), int(lengths.min()), int(lengths.sum())
        inside = total - int(places.sum())
        self.padded = (0 < self.longest < self.filled and shortest <= SHORTEST_MOST * self.longest
                       and inside <= INSIDE_MOST * total)


def _can_be_read(x):
    import torch

    return (type(x) in (torch.Tensor, torch.nn.Parameter) and x.layout == torch.strided and x.device.type == "cpu"
            and not x.is_quantized and not x.is_complex() and x.dim() in (2, 3) and 0 < x.numel() <= NUMBERS_MOST)


def fields_of(x):
    """((which dimension has the rows, rows, filled), Field), for each dimension that may be their length."""
    for rows_first in (True, False):
        of_rows = x if rows_first else x.transpose(0, 1)
        for length_dim in range(1, x.dim() if rows_first else 2):
            if of_rows.shape[0] < 2 or of_rows.shape[length_dim] < FILLED_LEAST:
                continue
            for end in (-1, 0):
                field = Field(of_rows, length_dim, end)
                yield (rows_first, end, field.rows, field.filled), field


def longest_of(fields):
    """Of the padded fields of a step the one with the most places, or None. A field of the same rows that
    is full to its end says that the end is used."""
    full = {key for key, field in fields if field.full}
    padded = {}
    for key, field in fields:
        if field.padded and key not in full:
            padded[key] = max(padded.get(key, 0), field.longest)
    if not padded:
        return None
    key = max(padded, key=lambda k: k[2] * k[3])
    return {"rows": key[2], "filled": key[3], "longest": padded[key]}


class Lengths:
    def __init__(self):
        self.steps = []  # {"rows", "filled", "longest"} of each step that was looked at; {}: nothing is padded
        self._fields = []
        self._tensors = 0
        self._undo = None

    def install(self):
        if self._undo is None and not compiles():
            self._fields, self._tensors = [], 0
            self._undo = watch_calls(self._see)

    def remove(self):
        if self._undo is None:
            return
        self._undo()
        self._undo = None
        if self._tensors:
            self.steps.append(longest_of(self._fields) or {})
        self._fields, self._tensors = [], 0

    def _see(self, module, args, kwargs):
        """Never raises: the job calls its module."""
        try:
            if trains(module):
                self._look(args, kwargs)
        except Exception:
            pass

    def _look(self, args, kwargs):
        import torch
        from torch.utils import _pytree

        for x in _pytree.tree_flatten((args, kwargs))[0]:
            if self._tensors < TENSORS_MOST and isinstance(x, torch.Tensor) and _can_be_read(x):
                self._tensors += 1
                with torch.no_grad():
                    self._fields += fields_of(x.detach())
