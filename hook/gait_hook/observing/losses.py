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
import weakref
from collections import deque
from threading import get_ident

STEPS_MAX = 20000
PASSES_MAX = 1024  # of one call of the optimizer that are remembered
SCALED_MAX = 16  # losses that were scaled and not yet differentiated

_FLOAT = ctypes.c_float.from_address

NOT_A_LOSS = "losses: steps are left out whose backward() began from several numbers, or from a tensor of a class of its own"
NOT_READ = "losses: those of the device could not be read: %s"


class Losses:
    """wait_for() an optimizer, or install(); then trains_in(), call_ended() and step_ended(). None of these raises."""

    def __init__(self, note):
        self._note = note
        self._left_out = False  # a pass since the last call is not a loss; told when it was the job's
        self._torch = None
        self._undo = []  # (owner, name, the original, what stands in its place)
        self._thread = None  # the one that trains, when that is known
        self._inside = set()  # threads that are in a backward pass
        self._early = deque(maxlen=PASSES_MAX)  # (thread, value) until it is known
        self._passes = []  # values since the last call of an optimizer
        self._calls = []  # the values of each call since the last step
        self._is_known = False  # which calls end a step?
        self._number = 0  # of the last step
        self._scaled = deque(maxlen=SCALED_MAX)  # (a weak reference to what came out of a scaler, the value before)
        self._steps = []  # (number, the values of each of its calls)
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
        self._early.clear()
        self._passes = []
        self._scaled.clear()

    def _replace(self, owner, name, wrap):
        original = owner.__dict__[name]
        wrapper = functools.wraps(original)(wrap(original))
        self._undo.append((owner, name, original, wrapper))
        setattr(owner, name, wrapper)

    # -- steps, as the recorder tells of them; what is made of them can wait until it is read

    def trains_in(self, thread):
        self._thread = thread
        self._passes = [value for of, value in self._early if of == thread]
        self._early.clear()

    def call_ended(self):
        """A call of an optimizer that does not end a step."""
        self._tell_left_out()
        self._calls.append(self._passes)
        self._passes = []

    def step_ended(self, cycle):
        """A call that does."""
        self._tell_left_out()
        self._calls.append(self._passes)
        if self._is_known:
            self._number += 1
            self._steps.append((self._number, self._calls))
        else:
            self._number_anew(cycle.steps(), cycle.period)
        self._passes, self._calls = [], []
        if self._number >= STEPS_MAX:
            self.remove()

    def forget_passes(self):
        """Those since the last call were not the job's."""
        self._passes = []
        self._left_out = False

    def _tell_left_out(self):
        if self._left_out:
            self._note(NOT_A_LOSS)
        self._left_out = False

    def start_over(self):
        """Which calls end a step is not known, or not any more."""
        self._is_known = False

    def _number_anew(self, number, calls_a_step):
        """Of all calls so far it is now known which steps they were; or else what is not known stays out."""
        self._number, self._is_known = number, True
        calls = [call for _, of_step in self._steps for call in of_step] + self._calls
        if number * calls_a_step == len(calls):
            self._steps = [(i + 1, calls[i * calls_a_step:(i + 1) * calls_a_step]) for i in range(number)]
        else:
            self._steps = [step for step in self._steps if step[0] < number]

    def rows(self):
        """(number, loss, passes) of each step; None: not a finite number. Waits for the device where losses lie on one."""
        rows = []
        for number, calls in self._steps:
            try:
                for call in calls:
                    call[:] = [value if value is None or type(value) is float else value.item() for value in call]
            except Exception as e:  # the device, or the interpreter, is half gone
                calls.append([None])
                self._note(NOT_READ % type(e).__name__)
            values = sum(calls, [])
            if values and None not in values:
                rows.append((number, _sum(values), len(values)))
        return rows

    # -- what stands in the place of torch's functions

    def _listens_to(self, thread):
        """Not within a pass: checkpointing computes again there, and calls backward() for it."""
        return self._torch is not None and (self._thread is None or thread == self._thread) and thread not in self._inside

    def _noting(self, call):
        def backward(*args, **kwargs):
            thread = get_ident()
            if thread in self._inside or (thread != self._thread and not self._listens_to(thread)):
                return call(*args, **kwargs)
            value = self._loss_of(args[0] if args else kwargs.get("tensors"))
            if self._thread is None:
                self._early.append((thread, value))
            else:
                self._passes.append(value)
                if len(self._passes) > PASSES_MAX:  # not the job's training: what it looks for is not a step's loss
                    self._passes = [None]
            self._inside.add(thread)
            try:
                return call(*args, **kwargs)
            finally:
                self._inside.discard(thread)

        return backward

    def _remembering(self, call):
        def scale(scaler, outputs):
            is_ours = self._listens_to(get_ident()) and _is_one(self._torch, outputs)
            value = self._loss_of(outputs) if is_ours else None
            scaled = call(scaler, outputs)
            if value is not None:
                self._scaled.append((weakref.ref(scaled), value))
            return scaled

        return scale

    def _loss_of(self, tensors):
        try:
            torch = self._torch
            if type(tensors) is torch.Tensor and not torch._C._len_torch_function_stack():
                if tensors.dtype is torch.float32 and tensors.is_cpu and tensors.numel() == 1 and not self._scaled:
                    return _FLOAT(tensors.data_ptr()).value  # as nearly all are
                return self._read(tensors)
            with self._torch._C.DisableTorchFunction():  # the job's own modes and ours
                return self._read(tensors)
        except Exception:
            return None

    def _read(self, tensors):
        if _is_one(self._torch, tensors):
            return self._value_of(tensors)
        if isinstance(tensors, (list, tuple)) and tensors and all(_is_one(self._torch, t) for t in tensors):
            values = [self._value_of(t) for t in tensors]
            return None if None in values else _together(values)
        self._left_out = True
        return None

    def _value_of(self, tensor):
        for scaled, value in self._scaled:
            if scaled() is tensor:
                return value
        if tensor.is_cpu:
            return read_number(self._torch, tensor)
        if self.is_watched or (tensor.is_cuda and self._torch.cuda.is_current_stream_capturing()):
            return None
        return tensor.detach().reshape(()).to(self._torch.float32, copy=True)


def _is_one(torch, tensor):
    """One real number; of classes of their own it is not known what reading them does, and several ranks might wait for it."""
    return type(tensor) is torch.Tensor and tensor.numel() == 1 and tensor.is_floating_point()


def _together(values):
    return math.fsum(values) if set(map(type, values)) == {float} else sum(values)


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
    if tensor.dtype not in (torch.bfloat16, torch.float16):
        return None
    half = ctypes.c_uint16.from_address(address).value
    if tensor.dtype == torch.bfloat16:
        return struct.unpack("<f", struct.pack("<I", half << 16))[0]
    return struct.unpack("<e", struct.pack("<H", half))[0]
