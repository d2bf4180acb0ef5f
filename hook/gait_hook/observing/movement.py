"""How far the parameters of each optimizer have moved after its steps 1, 2, 4 … 64, and their gradients in the first.

Looked at are at most SAMPLE elements of a parameter, the same ones in every job: their places depend on the parameter's size
alone. So no copy of the model is needed, only of these; and what two recordings of one job differ by is exact for them. Kept of each
are its norm and its projections on a few fixed rows of signs: of two such vectors, the projections are on average as far apart as
the vectors themselves, so that a difference of direction is seen too, with four numbers instead of thousands.

No random number is drawn from a generator of the job, nothing is a matrix product (which deterministic settings may refuse), and
what lies on a device stays there until the file is written. It happens in the optimizer's hooks, between steps.
"""
import math
import random
import sys
import weakref

from ..contract import Moved
from .parameter_names import names_of

SAMPLE = 4096  # elements of a parameter: the norm of the whole is known to about 1 %
PROJECTIONS = 4
STEPS = (1, 2, 4, 8, 16, 32, 64)
ROWS_MAX = 512  # beyond that, neighbours are put together
PARAMETERS_MAX = 4096  # beyond that it would take longer than a moment

TOO_MANY = "movement: not looked at: an optimizer has %d parameters, and %d is the limit"
LEFT_OUT = "movement: %d parameters of an optimizer are left out: tensors of a class or a type of their own"
OWN_MODE = "movement: not looked at: the job has a dispatch mode of its own"
FAILED = "movement: not looked at any more: %s: %s"


def sample_places(n):
    """SAMPLE places among n > SAMPLE, one in each of as many stretches, at no fixed distance: rows and columns do not repeat."""
    return [i * n // SAMPLE + (i * 2654435761 % 2 ** 32 * (n // SAMPLE) >> 32) for i in range(SAMPLE)]


def sign_rows():
    n = SAMPLE * PROJECTIONS
    bits = random.Random(1).getrandbits(n).to_bytes(n // 8, "little")  # a generator of its own, the same on every machine
    signs = [1.0 - 2.0 * (bits[i >> 3] >> (i & 7) & 1) for i in range(n)]
    return [signs[row * SAMPLE:(row + 1) * SAMPLE] for row in range(PROJECTIONS)]


class _Followed:
    """An optimizer's parameters. Only what was copied of them is held."""

    def __init__(self, optimizer):
        self.optimizer = weakref.ref(optimizer)
        self.steps = 0
        self.parameters = []  # (a weak reference, the sample of its first values, elements here, row, place in that row)


class Movement:
    """meet() before an optimizer's first step, is_due() and look() after each. None of these raises."""

    def __init__(self, note):
        self._note = note
        self.parameters = []  # [name, elements] of each row
        self._followed = {}  # id of an optimizer → _Followed
        self._places, self._signs = {}, {}  # (elements, device) → places; device → signs
        self._rows = []  # [parameter, what, step, norm, projections …]
        self._names = set()
        self._unread = []  # (what, step, rows' numbers, a tensor of what stands in them)
        self._over = False

    def knows(self, optimizer):
        followed = self._followed.get(id(optimizer))
        return followed is not None and followed.optimizer() is optimizer

    def meet(self, optimizer, may_look):
        """Its first values; not where something watches, or all is over."""
        for old in self._followed.values():
            if old.optimizer() is None:
                old.parameters = []
        followed = self._followed[id(optimizer)] = _Followed(optimizer)
        if may_look and not self._over and len(self.parameters) < ROWS_MAX:
            self._safely(self._begin, followed, optimizer)

    def is_due(self, optimizer):
        """Counts a step of it. By the number alone: several ranks do the same at the same steps."""
        followed = self._followed.get(id(optimizer))
        if followed is None:
            return False
        followed.steps += 1
        return followed.steps <= STEPS[-1] and followed.steps in STEPS

    def look(self, optimizer, may_look):
        followed = self._followed[id(optimizer)]
        if may_look and followed.parameters:
            self._safely(self._look, followed)
        if followed.steps >= STEPS[-1]:
            followed.parameters = []

    def rows(self):
        """[parameter, what, step, norm, projections …]; waits for the device where they lie on one."""
        unread, self._unread = self._unread, []
        try:
            for each in unread:
                self._read(*each)
        except Exception as e:  # the device, or the interpreter, is half gone
            self._note(FAILED % (type(e).__name__, str(e)[:200]))
        return self._rows

    def _read(self, what, step, numbers, values):
        self._rows += [[row, what, step, *of_row] for row, of_row in _by_row(numbers, values.tolist())]

    def remove(self):
        self._over = True
        for followed in self._followed.values():
            followed.parameters = []
        self._places, self._signs = {}, {}

    # -- one look

    def _safely(self, part, *args):
        torch = sys.modules["torch"]
        try:
            if torch._C._len_torch_dispatch_stack():
                self._note(OWN_MODE)
            elif not _is_recorded_for_later(torch):
                with torch.no_grad(), torch._C.DisableTorchFunction():
                    part(torch, *args)
        except Exception as e:
            self._note(FAILED % (type(e).__name__, str(e)[:200]))
            self.remove()

    def _begin(self, torch, followed, optimizer):
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if len(parameters) > PARAMETERS_MAX:
            self._note(TOO_MANY % (len(parameters), PARAMETERS_MAX))
            return
        named = [(p, name) for p, name in zip(parameters, names_of(optimizer)) if _plain(torch, p) is not None]
        if len(named) < len(parameters):
            self._note(LEFT_OUT % (len(parameters) - len(named)))
        together = math.ceil(len(named) / (ROWS_MAX - len(self.parameters)))
        for i, (p, name) in enumerate(named):
            if i % together == 0:
                more = min(together, len(named) - i) - 1
                self.parameters.append([self._own_name("%s and %d more" % (name, more) if more else name), 0])
            elements = _plain(torch, p).numel()
            self.parameters[-1][1] += elements
            followed.parameters.append((weakref.ref(p), self._sample(torch, p).clone(), elements, len(self.parameters) - 1, i % together))
        self._keep(torch, Moved.WEIGHTS, 0, [(first, *where) for _, first, *where in followed.parameters])

    def _own_name(self, name):
        """Another optimizer may have parameters of the same names."""
        own, count = name, 1
        while own in self._names:
            count += 1
            own = "%s (%d)" % (name, count)
        self._names.add(own)
        return own

    def _look(self, torch, followed):
        living = [(p(), first, where) for p, first, *where in followed.parameters if p() is not None]
        self._keep(torch, Moved.MOVEMENT, followed.steps, [(self._sample(torch, p) - first, *where) for p, first, where in living])
        if followed.steps == 1:
            graded = [(p.grad, where) for p, _, where in living if _plain(torch, p.grad) is not None]
            self._keep(torch, Moved.GRADIENT, 1, [(self._sample(torch, gradient), *where) for gradient, where in graded])

    def _sample(self, torch, parameter):
        """In the widest type that the device has."""
        x = _plain(torch, parameter).detach()
        n = x.numel()
        if n > SAMPLE:
            if (n, x.device) not in self._places:
                self._places[n, x.device] = torch.tensor(sample_places(n), dtype=torch.int64, device=x.device)
            x = torch.take(x, self._places[n, x.device])
        return x.reshape(-1).to(torch.float32 if x.device.type == "mps" else torch.float64)

    def _keep(self, torch, what, step, samples):
        """samples: (values, elements of the whole, row, place in the row)."""
        by_device = {}
        for values, elements, row, place in samples:
            numbers = self._numbers(torch, values, place) * math.sqrt(elements / max(1, values.numel()))
            by_device.setdefault(values.device, ([], []))
            by_device[values.device][0].append(row)
            by_device[values.device][1].append(numbers)
        for device, (rows, numbers) in by_device.items():
            kept = what, step, rows, torch.stack(numbers)
            if device.type == "cpu":
                self._read(*kept)  # now, while no mode of the job is asked
            else:
                self._unread.append(kept)

    def _numbers(self, torch, values, place):
        """The norm, and the projections; of what shares a row each has signs of its own."""
        if values.device not in self._signs:
            self._signs[values.device] = torch.tensor(sign_rows(), dtype=values.dtype, device=values.device)
        signs = self._signs[values.device].to(values.dtype)
        if place:
            signs = signs.roll(97 * place, 1)
        return torch.cat([(values * values).sum().sqrt().reshape(1), (signs[:, :values.numel()] * values).sum(1)])


def _plain(torch, tensor):
    """What of it lies here, as an ordinary tensor; None: it is none. Parts of sharded ones are taken without asking other ranks."""
    if tensor is None:
        return None
    if type(tensor).__name__ == "DTensor" and type(getattr(tensor, "_local_tensor", None)) is torch.Tensor:
        tensor = tensor._local_tensor
    if not isinstance(tensor, torch.Tensor) or type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        return None
    dense = tensor.layout == torch.strided and tensor.is_floating_point() and not tensor.is_meta and tensor.numel()
    return tensor if dense else None


def _is_recorded_for_later(torch):
    """Calls are taken down for a graph of the device, or compiled, and not made now."""
    return torch.compiler.is_compiling() or (torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing())


def _by_row(numbers, values):
    """(row, [norm, projections …]) of parameters that share a row put together; None: not a finite number."""
    rows = {}
    for row, of_one in zip(numbers, values):
        rows.setdefault(row, []).append(of_one)
    for row, ones in rows.items():
        norm = math.sqrt(sum(one[0] ** 2 for one in ones))
        along = [sum(one[1 + k] for one in ones) for k in range(PROJECTIONS)]
        yield row, [float("%.10g" % x) if math.isfinite(x) else None for x in (norm, *along)]
