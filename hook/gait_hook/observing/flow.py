"""The data flow of a few steps: every operator call with the storages that it reads, writes and makes, as flow-PID.bin.

A dispatch mode sees each call below autograd, in the forward pass, the backward pass and the optimizer. Nothing of the job is
held: of a tensor only numbers are kept. Whatever goes wrong ends the watching, never the job.

flow_record   the columns, the lives of storages, the file
flow_ops      what an operator does, by its schema
flow_values   hashes of contents
flow_lines    the job's statements
flow_sources  where tensors come from that no call made
"""
import sys
import threading

from ..contract import Part, Role, Source, Trait
from .capture import compiles
from .dispatch_mode import DispatchMode
from .flow_lines import stack_of
from .flow_record import Record
from .flow_sources import Patches, of_modules, of_optimizers, tensors_in
from .flow_values import NOTHING, Values, hash_of

STEPS = 3
MARKS = "profiler::"  # of record_function, as in each optimizer's step: no data
NUMBERS_SKIPPED_MOST = 64  # autograd nodes between two calls: more were made by calls that were not seen
VALUES_UNREAD = frozenset((Source.PARAMETER, Source.STATE, Source.GRADIENT))  # each step gives them other numbers
RENAMED = frozenset((Source.MADE, Source.BEFORE, Source.RANDOM, Source.CONSTANT))
NO_STORAGE = "tensors without a storage of their own (sparse, or of a class with its own dispatch) have storage -1"
# Gradients that PyTorch computes another way where a dispatch mode is in place, and that differ in their last bits, or in
# the sign of zeros and beside infinities.
OTHER_BITS = frozenset(("ProdBackward0", "ProdBackward1", "MaskedFillBackward1", "MaxBackward1", "MinBackward1", "MedianBackward0",
                        "NanmedianBackward0"))
COMPILES = "the data flow was not watched: the job uses torch.compile"
OWN_MODE = "the data flow was not watched: the job has a dispatch mode of its own, or traces"
CHANGES = "the data flow was not watched: PyTorch would compute %s another way meanwhile"
RAISED = "the data flow was not watched to its end: an operator of the job raised %s"
TOO_MANY = "the data flow was not watched to its end: there are too many calls"
NOT_KNOWN = "the data flow was not watched: no round tells what a step does"
UNDER_OTHERS = "the data flow was not watched to its end: the job entered a dispatch mode and has not left it"
INTERRUPTED = "the data flow was not watched to its end: the job ended or began anew"
FAILED = "the data flow was not watched to its end: %s: %s"


class Flow:
    def __init__(self, result, optimizers, traced=(), samples=None):
        """traced: names of what a step of the job does, as the tracer saw it. samples: go into the same file."""
        self._result = result
        other_bits = OTHER_BITS.intersection(name.rsplit(": ", 1)[-1] for name in traced)
        self._why_not = CHANGES % min(other_bits) if other_bits else "" if traced else NOT_KNOWN
        self._optimizers = optimizers  # a function: what it gives is not kept
        self._record, self._values = Record(samples), Values()
        self._patches = Patches(self._see_host_read, self._see_source)
        self._mode = DispatchMode()
        self._watching = False
        self.is_written = False
        self._step = 0
        self._forward = {}  # thread → {number of an autograd node: the call that made it}
        self._last_number = {}  # thread → of the node made last
        self._texts = {}  # of arguments → their hash
        self._orphans = 0  # backward calls without a forward call
        self._passes = {}  # (step, autograd's number) of each backward pass → ours
        self._thread = threading.get_ident()
        self._sequences = []  # of each step: (number, function) of the calls in this thread

    # -- coming and going; none of these raises

    def install(self):
        """At the end of a step, in the thread that trains."""
        try:
            reason = self._why_not or why_not()
            if reason:
                self._result.note(reason)
                return
            self._watching = True
            self._meet_sources(of_modules())
            self._meet_sources(of_optimizers(self._optimizers()))
            self._patches.install()
            self._enter()
        except Exception as e:
            self._failed(e)
            self.remove()

    def step_ended(self):
        """Our own calls at the end of a step are not the job's: the mode is out of its place while they are made."""
        if not self._watching:
            return
        try:
            if not self._mode.leave():
                self._end(UNDER_OTHERS)
                return
            self._step += 1
            self._record.steps = self._step
            self._meet_sources(of_optimizers(self._optimizers()))
            if self._step < STEPS:
                self._enter()
            else:
                self._write()
        except Exception as e:
            self._failed(e)

    def usual_sequence(self):
        """[(number of a call, its function)] of a step that made the same calls as another one, or of the last: some steps log."""
        functions = [[function for _, function in sequence] for sequence in self._sequences]
        alike = [i for i, of in enumerate(functions) if functions.count(of) > 1]
        return self._sequences[alike[-1] if alike else -1]

    def remove(self):
        """Is all gone? Where the job has entered a mode since and not left it, ours stays below it and does nothing, until
        this is called again; the same in a thread that is not the one that trains."""
        self._end(INTERRUPTED)
        gone = False
        try:
            self._patches.remove()
            gone = self._mode.leave()
        except Exception:
            pass
        self._record.release()
        return gone

    def _enter(self):
        import torch

        self._sequences.append([])
        self._last_number[threading.get_ident()] = torch._C._autograd._get_sequence_nr()
        self._mode.enter(self._call)

    def _end(self, note):
        """The mode stays where it is, and does nothing, until it can be taken out."""
        self._mode.silence()
        if self._watching:
            self._watching = False
            self._result.note(note)

    def _failed(self, error):
        try:
            text = str(error)
        except Exception:
            text = "?"
        self._end(FAILED % (type(error).__name__, text))

    def _write(self):
        if self._values.note:
            self._record.note(self._values.note)
        if self._record.unseen_writes:
            self._record.note("%d writes were seen in PyTorch's counts alone" % self._record.unseen_writes)
        if self._orphans:
            self._record.note("%d calls of the backward pass belong to calls that were not seen" % self._orphans)
        self._record.write(self._result.flow_path())
        self._watching, self.is_written = False, True
        if INTERRUPTED in self._result.notes:  # of a recording that began anew
            self._result.notes.remove(INTERRUPTED)

    # -- sources

    def _meet_sources(self, known):
        for source, x in known:
            life = self._meet(source, x)
            if life is not None:
                self._record.notice_unseen_writes(life, x)

    def _meet(self, source, x):
        """A life that a call made gets the name of what it has become: the call shows that it was made."""
        if not _is_plain(x):
            return None
        life, is_new = self._record.life(x, source)
        if life is not None and not is_new and self._record.storage_sources[life.index] in RENAMED:
            self._record.name_source(life, source)
        return life

    def _see_source(self, source, value):
        if not self._watching:
            return
        try:
            with _unseen_by_function_modes(), self._record.alone() as free:
                for x in tensors_in(value) if free else ():
                    self._meet(source, x)
        except Exception as e:
            self._failed(e)

    # -- calls; none of these raises

    def _see_host_read(self, name, x):
        if not self._watching:
            return
        try:
            with _unseen_by_function_modes(), self._record.alone() as free:
                if not free:
                    return
                call = Call("host::" + name, Trait.HOST_READ)
                self._place(call, sys._getframe(2))
                call.uses.append(self._read(x, Role.READ, 0))
                self._append(call)
        except Exception as e:
            self._failed(e)

    def _call(self, function, args, kwargs):
        """What the job's own call raises is the job's; nothing of ours is."""
        call = self._before(function, args, kwargs)
        if call is None:
            return function(*args, **kwargs)
        try:
            output = function(*args, **kwargs)
        except BaseException as e:
            self._end(RAISED % type(e).__name__)
            raise
        self._after(call, output)
        return output

    def _before(self, function, args, kwargs):
        """What is known before the call: afterwards its inputs may have been written. None where it is not watched."""
        try:
            with _unseen_by_function_modes(), self._record.alone() as free:
                if self._record.is_full():
                    self._end(TOO_MANY)
                    return None
                return self._call_of(function, args, kwargs) if free else None
        except Exception as e:
            self._failed(e)
            return None

    def _after(self, call, output):
        try:
            with _unseen_by_function_modes(), self._record.alone() as free:
                if self._watching and free:
                    self._results(call, output)
                    self._append(call)
        except Exception as e:
            self._failed(e)

    def _call_of(self, function, args, kwargs):
        operator = self._record.operators[function]
        if operator.name.startswith(MARKS):
            return None
        of_this_call = ((Trait.RANDOM, operator.draws(args, kwargs)), (Trait.BY_ROWS, operator.goes_by_rows(args)),
                        (Trait.JOINS_ROWS, operator.joins_rows(args)))
        call = Call(operator.name, operator.bits | sum(bit for bit, holds in of_this_call if holds), operator)
        self._place(call, sys._getframe(3))
        texts = []
        for i, value in enumerate(args):
            _collect(value, i, call.tensors, texts)
        for name, value in kwargs.items():
            texts.append(name)
            _collect(value, operator.positions.get(name, len(args)), call.tensors, texts)
        call.scalars = self._text_hash(",".join(texts)) if texts else 0
        for position, x in call.tensors:
            call.uses.append(self._read(x, operator.role(position, args), position, operator.is_collective))
        return call

    def _text_hash(self, text):
        found = self._texts.get(text)
        if found is None:
            found = self._texts[text] = hash_of(text.encode(errors="backslashreplace"))
        return found

    def _place(self, call, frame):
        """The statement, the thread, and of a backward call the forward call whose node runs."""
        import torch

        call.line, call.inner, _, of_torch = self._record.lines.find(stack_of(frame))
        call.bits |= Trait.OPTIMIZER if of_torch == Part.OPTIMIZER else 0
        thread = threading.get_ident()
        call.thread = self._record.threads.index(thread)
        node = torch._C._current_autograd_node()
        task = torch._C._current_graph_task_id()
        call.backward = self._pass_of(task, frame) if node is not None or task >= 0 else 0
        if node is not None:
            call.forward = self._forward_of(node, thread)
        call.number = torch._C._autograd._get_sequence_nr()
        call.ident = thread

    def _pass_of(self, task, frame):
        """The number of the pass; of one within another (a checkpoint's) the other's."""
        found = self._passes.get((self._step, task))
        if found is None:
            latest = max(self._passes.values(), default=0)
            found = self._passes[self._step, task] = latest if latest and _runs_within_a_pass(frame) else latest + 1
        return found

    def _forward_of(self, node, thread):
        number = node._sequence_nr()
        if number >= 1 << 63:  # where gradients are accumulated: no call made it
            return -1
        for calls in (self._forward.get(thread, {}), *self._forward.values()):
            if number in calls:
                return calls[number]
        self._orphans += 1
        return -1

    def _number_nodes(self, call, index):
        """Autograd numbers its nodes, per thread, just before the call that each stands for."""
        last = self._last_number.get(call.ident, call.number - 1)
        if call.number > last:
            calls = self._forward.setdefault(call.ident, {})
            for number in range(max(last, call.number - NUMBERS_SKIPPED_MOST), call.number):
                calls[number] = index
            self._last_number[call.ident] = call.number

    # -- uses: [role, argument, life or None, version, offset, shape, strides, dtype, hash, zeros, zero_rows], as the file has
    # them after op

    def _read(self, x, role, position, looks=False):
        """A tensor as the call gets it; what it holds where no call that was seen has put it there, or where looks says so."""
        if not _is_plain(x):
            return self._without_storage(x, role, position)
        life, is_new = self._record.life(x, Source.BEFORE)
        if life is None:
            return self._without_storage(x, role, position)
        if life.made_in != self._step:
            self._record.notice_unseen_writes(life, x)
        facts = NOTHING
        if role != Role.WRITTEN and (looks or is_new and self._record.storage_sources[life.index] not in VALUES_UNREAD):
            facts = self._values.facts(x)
        return self._use(x, role, position, life, facts)

    def _use(self, x, role, position, life, facts):
        record = self._record
        return [role, position, life, life.version, x.storage_offset(), record.shapes.index(tuple(x.shape)),
                record.shapes.index(tuple(x.stride())), record.dtypes.index(str(x.dtype)[6:]), *facts]

    def _without_storage(self, x, role, position):
        record = self._record
        record.note(NO_STORAGE)
        return [role, position, None, 0, 0, record.shapes.index(tuple(x.shape)), record.shapes.index(()),
                record.dtypes.index(str(x.dtype)[6:]), *NOTHING]

    def _results(self, call, output):
        taken = {use[2] for use in call.uses}
        written = self._written(call)
        if call.operator.is_lift:  # made of Python's numbers: their storage has not been seen before
            self._name_host_data(call)
        results = []
        _collect(output, 0, results, [])
        if results and call.tensors and results[0][1].device != call.tensors[0][1].device:
            call.bits &= ~Trait.COPY  # a transfer: what is there is not here
        for position, (_, x) in enumerate(results):
            use = self._result_use(call, x, position, taken, written)
            if use is not None:
                call.uses.append(use)

    def _written(self, call):
        """The lives that the call wrote, each a version further."""
        written = {use[2] for use in call.uses if use[0] not in (Role.READ, Role.MADE, Role.VIEW) and use[2] is not None}
        for life in written:
            life.version += 1
            if call.bits & Trait.RANDOM and life.version == 1 and self._record.storage_sources[life.index] == Source.MADE:
                self._record.name_source(life, Source.RANDOM)  # made empty, then filled: dropout's masks are
        for use, (_, x) in zip(call.uses, call.tensors):
            if use[0] != Role.READ and use[2] is not None:
                self._after_write(call, use, x)
        return written

    def _after_write(self, call, use, x):
        use[3] = use[2].version  # PyTorch counts this write only when the mode has returned
        if not call.bits & Trait.COLLECTIVE:  # others may still be writing
            use[8:11] = self._values.facts(x)

    def _name_host_data(self, call):
        for use in call.uses:
            if use[2] is not None and self._record.storage_sources[use[2].index] == Source.BEFORE:
                self._record.name_source(use[2], Source.HOST)

    def _result_use(self, call, x, position, taken, written):
        if not _is_plain(x):
            return self._without_storage(x, Role.MADE, position)
        life, is_new = self._record.life(x, self._source_of(call), self._step)
        if life is None:
            return self._without_storage(x, Role.MADE, position)
        if life in written:
            return None  # in place: its use as an argument says so
        is_read = call.operator.is_lift or is_new and not call.bits & Trait.COLLECTIVE
        return self._use(x, Role.MADE if is_new else Role.VIEW, position, life, self._values.facts(x) if is_read else NOTHING)

    def _source_of(self, call):
        if call.bits & Trait.RANDOM:
            return Source.RANDOM
        return Source.CONSTANT if call.operator.is_constant else Source.MADE

    def _append(self, call):
        record, index = self._record, self._record.n_calls()
        row = (record.op_index(call.name, call.bits), self._step, call.line, call.inner, call.backward, call.forward,
               call.thread, call.scalars)
        self._number_nodes(call, index)
        if call.operator is not None and call.ident == self._thread:
            self._sequences[-1].append((index, call.operator.function))
        for append, value in zip(record.call_rows, row):
            append(value)
        for use in call.uses:
            use[2] = -1 if use[2] is None else use[2].index
            for append, value in zip(record.use_rows, (index, *use)):
                append(value)


class Call:
    """One call while it is made; it holds its tensors no longer than the caller does."""

    __slots__ = ("name", "bits", "operator", "line", "inner", "thread", "ident", "backward", "forward", "number", "scalars",
                 "tensors", "uses")

    def __init__(self, name, bits, operator=None):
        self.name, self.bits, self.operator = name, bits, operator
        self.forward, self.scalars, self.tensors, self.uses = -1, 0, [], []


def why_not():
    """Empty where a dispatch mode may be put in place."""
    import torch

    if compiles() or _has_compiled():
        return COMPILES
    if torch._C._len_torch_dispatch_stack() or torch._C._get_tracing_state():
        return OWN_MODE
    return ""


def _has_compiled():
    """A function that torch.compile has wrapped, called or not: under a dispatch mode it runs uncompiled, and gives other
    numbers. What is kept from being compiled (optimizers) has None for a backend."""
    module = sys.modules.get("torch._dynamo.eval_frame")
    try:
        return any(backend is not None for backend in module.cached_backends.values()) if module else False
    except Exception:
        return True


def _runs_within_a_pass(frame):
    return sum(outer.f_code.co_name == "_engine_run_backward" for outer in stack_of(frame)) > 1


def _is_plain(x):
    """Not a class with a dispatch of its own (DTensor, NestedTensor, FakeTensor), and not sparse."""
    import torch

    return type(x).__torch_dispatch__ is torch.Tensor.__torch_dispatch__ and x.layout is torch.strided


def _collect(value, position, tensors, texts):
    """The tensors of an argument, and everything else of it as text. Of objects only their class: they have addresses."""
    import torch

    if isinstance(value, torch.Tensor):
        tensors.append((position, value))
        texts.append("T")
    elif isinstance(value, (list, tuple)):
        texts.append("[")
        for x in value:
            _collect(x, position, tensors, texts)
        texts.append("]")
    elif value is None or isinstance(value, (bool, int, float, complex, str)):
        texts.append(repr(value))
    elif isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
        texts.append(str(value))
    else:
        texts.append(type(value).__name__)


def _unseen_by_function_modes():
    import torch

    return torch._C.DisableTorchFunction()
