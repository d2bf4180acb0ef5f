"""How long the rows of the job's batches are, and up to which length they are filled.

Seen in what the job gives to its modules in training, in steps that are not timed: the end of all
rows of a tensor that has one value alone is padding, if rows end at different places and have next
to nothing of that value before, and no other tensor of these rows says more about their ends.
"""
from time import monotonic

from .. import contract
from ..beside import warnings_unseen
from .capture import compiles, trains, watch_calls

FILLED_LEAST = 16  # shorter dimensions are features, classes, small groups
INSIDE_MOST = 0.1  # of a row's own places may have the value of the padding: more is sparse data
SHORTEST_MOST = 0.9  # of the longest row: rows of nearly one length are a class or a feature that is not there
TENSORS_MOST = 32  # of a step
NUMBERS_MOST = 1 << 22  # of a tensor: what is made of it to look at it has at most so many 32-bit numbers
SECONDS_MOST = 0.2  # of a step, begun


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
        self.longest, self.padded = 0, False
        last = x.select(length_dim, end)
        if not bool((x != x[:1]).any()):
            return  # all rows are one: positions, a mask of ones; they say nothing of lengths
        if bool((last == x[(end,) * x.dim()]).all()):
            self._measure(_filled_places(x, length_dim, end))
        else:
            self.longest = self.filled  # rows differ in their last place: all of it is used

    def _measure(self, places):
        import torch

        ends = torch.arange(1, self.filled + 1, dtype=torch.int32, device=places.device)
        lengths = (places * ends).amax(1)
        self.longest, shortest, total = int(lengths.max()), int(lengths.min()), int(lengths.sum())
        inside = total - int(places.sum())
        self.padded = (0 < self.longest < self.filled and shortest <= SHORTEST_MOST * self.longest
                       and inside <= INSIDE_MOST * total)


def _can_be_read(x):
    import torch

    return (type(x) is torch.Tensor and not x.requires_grad  # what a layer made has no ends of one value
            and x.layout == torch.strided and x.device.type == "cpu" and not x.is_quantized and not x.is_complex()
            and x.dim() in (2, 3) and 0 < x.numel() <= NUMBERS_MOST
            and not (x.dim() == 2 and x.shape[0] == x.shape[1]))  # a mask of a triangle: its rows are of all lengths


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
    """Of the padded fields of a step the one with the most padding, or None. Of several fields of the same rows
    the longest says how far they are used: kinds of tokens, or targets that are left out, end before their rows."""
    longest, padded = {}, set()
    for key, field in fields:
        longest[key] = max(longest.get(key, 0), field.longest)
        if field.padded:
            padded.add(key)
    if not padded:
        return None
    key = max(sorted(padded), key=lambda k: k[2] * (k[3] - longest[k]))
    return {contract.Lengths.ROWS: key[2], contract.Lengths.FILLED: key[3], contract.Lengths.LONGEST: longest[key]} if longest[key] < key[3] else None


def is_watched():
    """Does the job look at operators itself, or trace them?"""
    import torch

    return bool(torch._C._len_torch_dispatch_stack() or torch._C._len_torch_function_stack()
                or torch._C._get_tracing_state())


class Lengths:
    def __init__(self):
        self.steps = []  # of each step that was looked at; {}: nothing is padded
        self._fields = []
        self._tensors = 0
        self._seconds = 0.0  # of the step
        self._undo = None

    def install(self):
        if self._undo is None and not compiles():
            self._fields, self._tensors, self._seconds = [], 0, 0.0
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
            if trains(module) and not is_watched():
                with warnings_unseen():
                    self._look(args, kwargs)
        except Exception:
            pass

    def _look(self, args, kwargs):
        import torch
        from torch.utils import _pytree

        for x in _pytree.tree_flatten((args, kwargs))[0]:
            if self._tensors >= TENSORS_MOST or self._seconds >= SECONDS_MOST:
                return
            if isinstance(x, torch.Tensor) and _can_be_read(x):
                begin = monotonic()
                self._tensors += 1
                with torch.no_grad():
                    self._fields += fields_of(x.detach())
                self._seconds += monotonic() - begin
