"""The loss of each step: what its backward passes were called on.

Gradients add up, so what a step minimises is the sum of what backward() was called on since the step before: of accumulated
batches the mean where the job divides each by their number, and the sum where it does not. What torch's GradScaler has
multiplied counts as it was before. A pass that begins from several numbers and given gradients is not a loss.

Nothing waits. On the host the number is read from its memory, which neither the tracer nor a mode sees. On a device it is
copied there, and read when the file is written; not while steps are traced or watched, whose copy would stand among the job's own.
"""
import ctypes
import functools
import math
import struct
import sys
import threading
import weakref
from collections import deque

STEPS_MAX = 20000
CALLS_MAX = 4096  # from the first, that are remembered one by one: which of them end a step may turn out later
PASSES_MAX = 1024  # of one call of the optimizer that are remembered
SCALED_MAX = 16  # losses that were scaled and not yet differentiated

NOT_A_LOSS = "losses: steps are left out whose backward() began from several numbers, or from a tensor of a class of its own"
NOT_READ = "losses: those of the device could not be read: %s"


class Losses:
    """wait_for() an optimizer, or install(); then trains_in(), call_ended() and step_ended(). None of these raises."""

    def __init__(self, note):
        self._note = note
        self._torch = None
        self._undo = []  # (owner, name, the original, what stands in its place)
        self._thread = None  # the one that trains, when that is known
        self._inside = set()  # threads that are in a backward pass
        self._passes = deque(maxlen=PASSES_MAX)  # (thread, value) since the last call of an optimizer
        self._calls = []  # the values of each call since the last step
        self._first_calls = []  # the same from the job's first, at most CALLS_MAX
        self._count = 0  # of calls
        self._is_known = False  # which calls end a step?
        self._scaled = deque(maxlen=SCALED_MAX)  # (a weak reference to what came out of a scaler, the value before)
        self._steps = []  # [number, loss, passes]
        self._unread = []  # (a row of _steps, its values), some of them on a device
        self.is_watched = False  # by the tracer or a mode: a device's losses are left out

    # -- coming and going

    def wait_for(self, optimizer_class):
        """install() when the job makes its first optimizer: before its first backward pass, and after all of torch is there."""
        def wrap(call):
            def __init__(optimizer, *args, **kwargs):
                self.install()
                return call(optimizer, *args, **kwargs)

            return __init__

        self._replace(optimizer_class, "__init__", wrap)

    def install(self):
        try:
            if self._torch is None:
                self.remove()
                self._torch = sys.modules["torch"]
                self._replace(self._torch.autograd, "backward", self._noting)
                from torch.amp.grad_scaler import GradScaler

                self._replace(GradScaler, "scale", self._remembering)
        except Exception:  # a torch that has no such: what is in its place works
            pass

    def remove(self):
        undo, self._undo, self._torch = self._undo, [], None
        for owner, name, original, wrapper in reversed(undo):
            if owner.__dict__.get(name) is wrapper:  # else the job wrapped it too: leave it alone
                setattr(owner, name, original)
        self._passes.clear()
        self._scaled.clear()

    def _replace(self, owner, name, wrap):
        original = owner.__dict__[name]
        wrapper = functools.wraps(original)(wrap(original))
        self._undo.append((owner, name, original, wrapper))
        setattr(owner, name, wrapper)

    # -- steps, as the recorder tells of them

    def trains_in(self, thread):
        self._thread = thread

    def call_ended(self):
        """A call of an optimizer."""
        values = [value for thread, value in self._passes if thread == self._thread]
        self._passes.clear()
        self._calls.append(values)
        self._count += 1
        if len(self._first_calls) < CALLS_MAX:
            self._first_calls.append(values)

    def step_ended(self, number, calls_a_step):
        calls, self._calls = self._calls, []
        if self._is_known:
            self._keep(number, sum(calls, []))
        else:
            self._number_anew(number, calls_a_step)
        self._is_known = True
        if len(self._steps) >= STEPS_MAX:
            self.remove()

    def start_over(self):
        """Which calls end a step is not known, or not any more."""
        self._is_known = False
        self._calls = []

    def _number_anew(self, number, calls_a_step):
        """Of all calls so far it is now known which steps they were; or else those before this one stay out that are not."""
        if number * calls_a_step != self._count or self._count != len(self._first_calls):
            self._steps = [row for row in self._steps if row[0] < number]
            return
        self._steps, self._unread = [], []
        for i in range(number):
            self._keep(i + 1, sum(self._first_calls[i * calls_a_step:(i + 1) * calls_a_step], []))

    def _keep(self, number, values):
        if not values or any(value is None for value in values):
            return
        row = [number, None, len(values)]
        self._steps.append(row)
        if all(isinstance(value, float) for value in values):
            row[1] = _sum(values)
        else:
            self._unread.append((row, values))

    def rows(self):
        """[number, loss, passes] of each step; None: not a finite number. Waits for the device where losses lie on one."""
        unread, self._unread = self._unread, []
        try:
            for row, values in unread:
                row[1] = _sum([value if isinstance(value, float) else value.item() for value in values])
        except Exception as e:  # the device, or the interpreter, is half gone
            lost = {id(row) for row, _ in unread}
            self._steps = [row for row in self._steps if id(row) not in lost]
            self._note(NOT_READ % type(e).__name__)
        return self._steps

    # -- what stands in the place of torch's functions

    def _listens(self):
        return self._torch is not None and self._thread in (None, threading.get_ident())

    def _noting(self, call):
        def backward(*args, **kwargs):
            if not self._listens():
                return call(*args, **kwargs)
            thread = threading.get_ident()
            if thread in self._inside:  # a pass within a pass: checkpointing computes again
                return call(*args, **kwargs)
            self._passes.append((thread, self._loss_of(args[0] if args else kwargs.get("tensors"))))
            self._inside.add(thread)
            try:
                return call(*args, **kwargs)
            finally:
                self._inside.discard(thread)

        return backward

    def _remembering(self, call):
        def scale(scaler, outputs):
            value = self._loss_of(outputs) if self._listens() and _is_one(self._torch, outputs) else None
            scaled = call(scaler, outputs)
            if value is not None:
                self._scaled.append((weakref.ref(scaled), value))
            return scaled

        return scale

    def _loss_of(self, tensors):
        try:
            with self._torch._C.DisableTorchFunction():  # the job's own modes and ours
                tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
                if not tensors or not all(_is_one(self._torch, t) for t in tensors):
                    self._note(NOT_A_LOSS)
                    return None
                values = [self._value_of(t) for t in tensors]
                return values[0] if len(values) == 1 else None if None in values else _together(values)
        except Exception:
            return None

    def _value_of(self, tensor):
        for scaled, value in self._scaled:
            if scaled() is tensor:
                return value
        if tensor.device.type == "cpu":
            return read_number(self._torch, tensor)
        if self.is_watched or (tensor.is_cuda and self._torch.cuda.is_current_stream_capturing()):
            return None
        return tensor.detach().reshape(()).to(self._torch.float32, copy=True)


def _is_one(torch, tensor):
    """One real number; of classes of their own it is not known what reading them does, and several ranks might wait for it."""
    return type(tensor) is torch.Tensor and tensor.numel() == 1 and tensor.is_floating_point()


def _together(values):
    return math.fsum(values) if all(isinstance(value, float) for value in values) else sum(values)


def _sum(values):
    """JSON has no words for what is not finite."""
    total = math.fsum(values) if all(map(math.isfinite, values)) else math.nan
    return total if math.isfinite(total) else None


def read_number(torch, tensor):
    """From the host's memory, by no operator; None: a type that is not known here."""
    address = tensor.data_ptr()
    if tensor.dtype == torch.float32:
        return ctypes.c_float.from_address(address).value
    if tensor.dtype == torch.float64:
        return ctypes.c_double.from_address(address).value
    half = ctypes.c_uint16.from_address(address).value
    if tensor.dtype == torch.bfloat16:
        return struct.unpack("<f", struct.pack("<I", half << 16))[0]
    if tensor.dtype == torch.float16:
        return struct.unpack("<e", struct.pack("<H", half))[0]
    return None
