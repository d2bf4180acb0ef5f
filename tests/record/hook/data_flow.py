"""The data flow of small jobs whose calls, lines and storages are known."""
import contextlib
import gc
import glob
import inspect
import json
import os
import tempfile
import weakref
from array import array
from bisect import bisect_left

import torch
from gait_hook.observing import flow as hook_flow
from gait_hook.observing import flow_record, flow_values
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from gait_hook.contract import FLOW_COLUMNS, FLOW_VERSION, Role, Source, Trait
from shared import recorder_in

READ, WRITTEN, MADE, VIEWED, READ_WRITTEN = Role.READ, Role.WRITTEN, Role.MADE, Role.VIEW, Role.UPDATED
SOURCES = {value: name.lower() for name, value in vars(Source).items() if isinstance(value, int)}
depth = torch._C._len_torch_dispatch_stack
STEPS = 140  # enough where a busy machine makes the warm-up long
ROUND = dict(warmup=3, untraced=1, traced=1, rounds=1, replacements=0)


class Watched:
    """A flow file, with what the tests ask of it."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.file = json.loads(f.readline())
            rows = dict(zip(dict(FLOW_COLUMNS), self.file["rows"]))
            self.table = {table: {} for table in rows}
            for table, column in FLOW_COLUMNS:
                self.table[table][column] = values = array("q")
                values.fromfile(f, rows[table])
            assert not f.read()
        self.calls, self.uses = self.table["ops"], self.table["op_tensors"]
        self.check()

    def check(self):
        assert list(self.uses["op"]) == sorted(self.uses["op"])
        assert all(-1 <= tensor < len(self.table["tensors"]["bytes"]) for tensor in self.uses["tensor"])
        latest = {}
        for tensor, version in zip(self.uses["tensor"], self.uses["version"]):
            assert tensor < 0 or version >= latest.get(tensor, 0)
            latest[tensor] = version

    def find(self, name, step=None):
        """Indices of the calls of an operator, with or without its overload."""
        names = self.file["ops"]
        return [i for i, op in enumerate(self.calls["name"])
                if (names[op] == name or names[op].split(".")[0] == name) and step in (None, self.calls["step"][i])]

    def uses_of(self, call):
        first, end = bisect_left(self.uses["op"], call), bisect_left(self.uses["op"], call + 1)
        return [{name: column[i] for name, column in self.uses.items()} for i in range(first, end)]

    def line(self, call, column="line"):
        index = self.calls[column][call]
        lines = self.table["lines"]
        return (self.file["files"][lines["file"][index]], self.file["functions"][lines["function"][index]],
                lines["line"][index]) if index >= 0 else None

    def bits(self, call):
        return self.file["traits"][self.calls["name"][call]]

    def source(self, use):
        return SOURCES[self.table["tensors"]["source"][use["tensor"]]]


def nothing_was_watched(folder):
    """A file with samples is there, or none."""
    return all(not len(Watched(path).calls["name"]) for path in glob.glob(folder + "/flow-*"))


def new_job(seed=5):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Dropout(0.5), nn.Linear(8, 1))
    return model, torch.optim.SGD(model.parameters(), 1e-4, momentum=0.9)


@contextlib.contextmanager
def watching(**settings):
    """(recorder, folder) of a recorder with one short round, and the watched steps after it."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, **{**ROUND, **settings})
        try:
            yield recorder, folder
        finally:
            recorder._uninstall()


def flow_of(loss_of, steps=STEPS, job=None):
    """What is watched of a job with that loss, of (model, step); and its losses."""
    model, optimizer = job or new_job()
    losses = []
    with watching() as (recorder, folder):
        for step in range(steps):
            optimizer.zero_grad()
            loss = loss_of(model, step)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        paths = glob.glob(folder + "/flow-*")
        assert depth() == 0 and len(paths) == 1 and recorder.result.state == "complete", recorder.result.notes
        assert recorder.result.notes == [] and paths[0].endswith("flow-%d.bin" % os.getpid())
        return Watched(paths[0]), losses


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return os.path.abspath(__file__), function.__qualname__, first + next(i for i, line in enumerate(lines) if text in line)


def loss_with_mask(model, step):
    mask = torch.tril(torch.ones(8, 8)) * 2.0
    x = torch.full((4, 8), float(step))
    return model(x @ mask).sum()


def what_is_rebuilt_each_step_is_the_same_in_all():
    seen, _ = flow_of(loss_with_mask)
    assert seen.file["gait_flow"] == FLOW_VERSION and seen.file["steps"] == 3 and not seen.file["notes"], seen.file["notes"]
    for name, is_same in (("aten::tril", True), ("aten::full", False), ("aten::mm", False)):
        calls = [seen.find(name, step)[0] for step in range(3)]
        made = [use for call in calls for use in seen.uses_of(call) if use["role"] == MADE]
        assert len(made) == 3 and len({use["tensor"] for use in made}) == 3
        assert (len({use["hash"] for use in made}) == 1) == is_same and all(use["hash"] for use in made), name
    scalars = [seen.calls["scalars"][call] for call in seen.find("aten::full")]
    assert len(set(scalars)) == 3, "the value that is filled in is a scalar"
    assert seen.line(seen.find("aten::tril", 1)[0]) == line_of(loss_with_mask, "tril")
    assert [len(seen.find("aten::tril", step)) for step in range(3)] == [1, 1, 1]


def a_scalar_of_an_elementwise_call_is_its_value():
    seen, _ = flow_of(lambda model, step: (model(torch.ones(4, 8) * 2) * 3).sum())
    forward = [c for c in seen.find("aten::mul.Tensor", 0) if not seen.calls["backward"][c] and not seen.bits(c) & 2]
    scalars = {seen.calls["scalars"][c] for c in forward if len([u for u in seen.uses_of(c) if u["role"] == READ]) == 1}
    assert len(scalars) == 2, scalars


def backward_calls_name_their_forward_call():
    seen, _ = flow_of(loss_with_mask)
    normed = seen.find("aten::native_layer_norm", 1)[0]
    back = seen.find("aten::native_layer_norm_backward", 1)[0]
    assert seen.calls["backward"][back] == 2 and seen.calls["forward"][back] == normed  # the second step's pass
    assert seen.line(normed) == line_of(loss_with_mask, "model(")
    assert seen.calls["backward"][normed] == 0 and seen.calls["forward"][normed] == -1
    known = [f for f, b in zip(seen.calls["forward"], seen.calls["backward"]) if b]
    assert sum(f >= 0 for f in known) > len(known) // 2


def each_backward_pass_has_its_number():
    def loss_of(model, step):
        y = model(torch.ones(4, 8))
        y.square().sum().backward(retain_graph=True)
        return y.sum()

    seen, _ = flow_of(loss_of)
    passes = [[seen.calls["backward"][c] for c in seen.find("aten::native_layer_norm_backward", step)] for step in range(3)]
    assert passes == [[1, 2], [3, 4], [5, 6]], passes
    forward = {seen.calls["forward"][c] for c in seen.find("aten::native_layer_norm_backward", 1)}
    assert forward == set(seen.find("aten::native_layer_norm", 1))


def a_pass_within_a_pass_is_the_same_pass():
    from torch.utils.checkpoint import checkpoint

    def loss_of(model, step):
        x = torch.ones(4, 8, requires_grad=True)
        return model[3](checkpoint(model[:3], x * 2, use_reentrant=True)).sum()

    seen, _ = flow_of(loss_of)
    for step in range(3):
        numbers = {seen.calls["backward"][c] for c in range(len(seen.calls["step"])) if seen.calls["step"][c] == step}
        assert numbers == {0, step + 1}, numbers


def what_goes_by_rows_is_told_of_each_call():
    def loss_of(model, step):
        x = torch.ones(4, 8)
        return model(x.softmax(-1)).sum() + x.softmax(0).sum() + nn.functional.layer_norm(x, (4, 8)).sum()

    seen, _ = flow_of(loss_of)
    for name, wanted in (("_softmax", [True, False]), ("native_layer_norm", [True, False])):
        assert [bool(seen.bits(c) & Trait.BY_ROWS) for c in seen.find("aten::" + name, 0)] == wanted, name


def rows_that_are_put_side_by_side_are_told_of_each_call():
    def loss_of(model, step):
        x = torch.ones(4, 4)
        torch.cat([x, x])
        return model(torch.cat([x, x], -1)).sum() + torch.cat([x, x], 1).sum()

    seen, _ = flow_of(loss_of)
    told = [bool(seen.bits(c) & Trait.JOINS_ROWS) for c in seen.find("aten::cat", 0)]
    assert told == [False, True, True], told


def calls_that_multiply_select_and_sort_are_told():
    def loss_of(model, step):
        x = torch.ones(4, 8).sort()[0][torch.tensor([0, 0, 1])]
        return model(torch.where(x > 2, x, 0.0)).sum() * 0.0

    seen, _ = flow_of(loss_of)
    for name, trait in (("sort", Trait.SORTS), ("index", Trait.SELECTS), ("where", Trait.MULTIPLIES), ("mul", Trait.MULTIPLIES)):
        assert seen.bits(seen.find("aten::" + name)[-1]) & trait, name
    made = seen.uses_of(seen.find("aten::where", 0)[0])[-1]
    assert (made["zeros"], made["zero_rows"]) == (1000, 1000)


def writes_raise_versions():
    def loss_of(model, step):
        x = torch.ones(4, 8)
        y = x.clone()
        y.add_(1)
        y[0].zero_()
        return model(y).sum()

    seen, _ = flow_of(loss_of)
    copied = seen.uses_of(seen.find("aten::clone", 1)[0])
    assert [use["role"] for use in copied] == [READ, MADE] and copied[0]["hash"] == 0
    original = seen.uses_of(seen.find("aten::ones", 1)[0])[0]
    assert copied[1]["hash"] == original["hash"] and copied[1]["tensor"] != original["tensor"] == copied[0]["tensor"]
    assert seen.bits(seen.find("aten::clone")[0]) & 32
    added, = [u for c in seen.find("aten::add_", 1) for u in seen.uses_of(c) if u["tensor"] == copied[1]["tensor"]]
    zeroed, = [u for c in seen.find("aten::zero_", 1) + seen.find("aten::fill_", 1) for u in seen.uses_of(c)
               if u["tensor"] == copied[1]["tensor"]]
    assert (added["role"], added["version"]) == (READ_WRITTEN, 1) and (zeroed["role"], zeroed["version"]) == (WRITTEN, 2)
    assert [seen.source(u) for u in (original, copied[1])] == ["constant", "made"]


def writes_past_autograd_and_past_the_mode_are_noticed():
    model, optimizer = new_job()
    weight, hidden = model[0].weight, model[1].bias

    def loss_of(model, step):
        weight.data.mul_(0.5)
        with torch._C._DisableTorchDispatch():  # as code that is no operator
            hidden.detach().mul_(0.5)
        return model(torch.ones(4, 8)).sum()

    with watching() as (recorder, folder):
        for step in range(STEPS):
            optimizer.zero_grad()
            loss_of(model, step).backward()
            optimizer.step()
        seen = Watched(glob.glob(folder + "/flow-*")[0])
    assert any("PyTorch's counts alone" in note for note in seen.file["notes"]), seen.file["notes"]
    written = seen.uses_of(seen.find("aten::mul_", 1)[0])[0]
    assert seen.source(written) == "parameter"
    read = seen.uses_of(seen.find("aten::t", 1)[0])[0]
    assert read["tensor"] == written["tensor"] and read["version"] == written["version"]
    bias = [[u for u in seen.uses_of(seen.find("aten::native_layer_norm", step)[0]) if u["argument"] == 3][0] for step in range(3)]
    last = max(u["version"] for c in seen.find("aten::add_", 0) for u in seen.uses_of(c) if u["tensor"] == bias[0]["tensor"])
    assert bias[1]["version"] > last


def sources_are_named():
    loader = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4)
    model, optimizer = new_job()
    frozen = nn.Linear(8, 8).requires_grad_(False)
    norm = nn.BatchNorm1d(8)
    norm.requires_grad_(False)
    batches = iter(loader)

    def loss_of(model, step):
        nonlocal batches
        x = next(batches, None)
        if x is None:
            batches = iter(loader)
            x = next(batches)
        scale = torch.tensor([1.0 + step] * 8)
        return model(norm(frozen(x) * scale)).sum()

    seen, _ = flow_of(loss_of, job=(model, optimizer))
    named = {seen.source(u) for c in range(len(seen.calls["name"])) for u in seen.uses_of(c) if u["tensor"] >= 0}
    assert {"parameter", "frozen", "state", "buffer", "gradient", "batch", "host", "random", "made"} <= named, named
    fed = [u for u in seen.uses_of(seen.find("aten::addmm", 1)[0]) if u["argument"] == 1][0]
    assert seen.source(fed) == "batch"


def reads_of_the_host_are_seen():
    def loss_of(model, step):
        loss = model(torch.ones(4, 8)).sum()
        loss.reshape(1).tolist()
        loss.detach().numpy()
        loss.item()
        return loss

    before = {name: torch.Tensor.__dict__.get(name) for name in ("tolist", "numpy", "__array__")}
    seen, _ = flow_of(loss_of)
    for name in ("host::tolist", "host::numpy", "aten::_local_scalar_dense"):
        call, = seen.find(name, 1)
        assert seen.bits(call) & 4 and seen.line(call)[1].endswith("loss_of"), name
    assert before == {name: torch.Tensor.__dict__.get(name) for name in before}


def losses_are_the_same_bit_by_bit():
    _, watched = flow_of(loss_with_mask)
    model, optimizer = new_job()
    for step, known in enumerate(watched):
        optimizer.zero_grad()
        loss = loss_with_mask(model, step)
        loss.backward()
        optimizer.step()
        assert torch.equal(loss.detach(), known), step


def nothing_of_the_job_is_kept_alive():
    gone = []

    def loss_of(model, step):
        x = torch.ones(4, 8)
        hidden = model[0](x)
        gone.append((weakref.ref(x), weakref.ref(hidden)))
        loss = model[3](hidden).sum()
        del x, hidden
        if step > 0:
            assert all(reference() is None for reference in gone[-2]), step
        return loss

    flow_of(loss_of)
    gc.collect()
    assert not any(reference() for pair in gone for reference in pair)


def memory_is_freed_while_it_is_watched():
    """The weak references to storages keep no numbers."""
    with watching() as (recorder, _):
        model, optimizer = new_job()
        for step in range(STEPS):
            loss_with_mask(model, step).backward()
            if recorder.flow is not None:
                before = _resident_bytes()
                for _ in range(8):
                    torch.ones(1 << 23)
                assert _resident_bytes() - before < 3 << 25, "eight times 32 MiB were made and freed"
            optimizer.step()


def _resident_bytes():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def the_mode_goes_when_the_job_raises():
    for is_operator in (True, False):
        with watching() as (recorder, folder):
            model, optimizer = new_job()
            try:
                for step in range(STEPS):
                    loss_with_mask(model, step).backward()
                    if recorder.flow is not None:
                        assert depth() == 1
                        if is_operator:
                            torch.ones(2, 3) @ torch.ones(2, 3)
                        raise ValueError("of the job")
                    optimizer.step()
                raise AssertionError("not watched")
            except (RuntimeError, ValueError):
                pass
            recorder._at_exit()
            assert depth() == 0 and nothing_was_watched(folder)
            assert any("not watched to its end" in note for note in recorder.result.notes), recorder.result.notes


def a_step_after_one_that_raised_takes_the_mode_out():
    with watching() as (recorder, _):
        model, optimizer = new_job()
        for step in range(STEPS):
            with contextlib.suppress(RuntimeError):
                torch.ones(2, 3) @ torch.ones(2, 3)
            loss_with_mask(model, step).backward()
            optimizer.step()
        assert depth() == 0 and recorder.result.state == "complete" and "raised RuntimeError" in recorder.result.notes[0]


def a_child_has_no_mode():
    with watching() as (recorder, _):
        model, optimizer = new_job()
        while recorder.flow is None:
            loss_with_mask(model, 0).backward()
            optimizer.step()
        child = os.fork()
        if child == 0:
            os._exit(depth() != 0 or "tolist" in torch.Tensor.__dict__)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and depth() == 1


def starting_over_takes_it_out():
    with watching() as (recorder, _):
        model, optimizer = new_job()
        while recorder.flow is None:
            loss_with_mask(model, 0).backward()
            optimizer.step()
        recorder._start_over()
        assert depth() == 0 and recorder.flow is None


class OwnMode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def a_mode_of_the_jobs_own_is_left_alone():
    for when in ("before", "meanwhile"):
        own, entered = OwnMode(), False
        with watching() as (recorder, folder):
            model, optimizer = new_job()
            for step in range(STEPS):
                if not entered and (when == "before" or recorder.flow is not None):
                    own.__enter__()
                    entered = True
                if entered and when == "meanwhile" and recorder.result.state == "complete":
                    assert depth() == 2, "ours is below the job's, which is not at its end"
                    own.__exit__(None, None, None)
                    when = "left"
                loss_with_mask(model, step).backward()
                optimizer.step()
            if when == "before":
                own.__exit__(None, None, None)
            assert depth() == 0 and nothing_was_watched(folder) and "dispatch mode" in recorder.result.notes[0]


def what_has_no_storage_has_none():
    embedding = nn.Embedding(16, 8, sparse=True)

    def loss_of(model, step):
        loss = model(embedding(torch.tensor([1, 2, 3]))).sum()
        embedding.weight.grad = None
        return loss

    with watching() as (recorder, folder):
        model, optimizer = new_job()
        for step in range(STEPS):
            loss_of(model, step).backward()
            optimizer.step()
        seen = Watched(glob.glob(folder + "/flow-*")[0])
    assert hook_flow.NO_STORAGE in seen.file["notes"] and -1 in seen.uses["tensor"]


def gradients_that_a_mode_would_change_are_not_watched():
    with watching() as (recorder, folder):
        model, optimizer = new_job()
        for _ in range(STEPS):
            model(torch.ones(4, 8)).prod(1).sum().backward()
            optimizer.step()
        assert nothing_was_watched(folder) and "ProdBackward1" in recorder.result.notes[0], recorder.result.notes


def too_many_calls_end_it():
    kept, flow_record.CALLS_MOST = flow_record.CALLS_MOST, 10
    try:
        with watching() as (recorder, folder):
            model, optimizer = new_job()
            for step in range(STEPS):
                loss_with_mask(model, step).backward()
                optimizer.step()
            assert depth() == 0 and nothing_was_watched(folder) and hook_flow.TOO_MANY in recorder.result.notes
    finally:
        flow_record.CALLS_MOST = kept


def contents_are_hashed_in_the_order_of_their_dimensions():
    values, x = flow_values.Values(), torch.randn(64, 96)
    x[:16] = 0
    digest, zeros, rows = values.facts(x)
    assert (zeros, rows) == (250, 250) and 0 < digest < 1 << 52
    assert values.facts(x.t().contiguous().t()) == (digest, zeros, rows) and values.facts(x.t().contiguous())[1:] == (250, 0)
    x[1, 1] = 1
    assert values.facts(x)[1:] == (249, 234) and values.facts(torch.tensor(0.0))[1:] == (1000, -1)  # rounded down: 1000 is all
    assert values.facts(x.t())[0] != digest and values.facts(x[:, ::2])[0] == values.facts(x[:, ::2].contiguous())[0]
    assert values.facts(torch.empty(0)) == flow_values.NOTHING
    large = torch.zeros(3 << 20)
    before = values.facts(large)
    large[1 << 20:] = 1
    assert values.facts(large)[0] != before[0] and before[1:] == (999, -1)  # not all of it was read
    assert values.facts(-torch.zeros(4096, dtype=torch.bfloat16))[1] == 1000


def memory_that_was_given_back_is_not_read():
    values = flow_values.Values()
    x = torch.arange(32.0)[10:]
    assert values.facts(x)[0]
    x.untyped_storage().resize_(0)  # as FSDP does with its parameters between their uses
    assert values.facts(x) == flow_values.NOTHING
    x.untyped_storage().resize_(64)  # less than the view says
    assert values.facts(x) == flow_values.NOTHING


def what_interrupts_the_recorder_is_not_seen_and_does_not_wait():
    record = flow_record.Record()
    with record.alone() as outer, record.alone() as inner:
        assert outer and not inner
    with record.alone() as again:
        assert again


def gradients_of_what_no_optimizer_has_are_gradients():
    """They are added to in every step, and nobody clears them."""
    below = nn.Linear(8, 8)
    seen, _ = flow_of(lambda model, step: model(below(torch.full((4, 8), float(step)))).sum())
    added = [use for call in seen.find("aten::add_", 1) if seen.calls["backward"][call]
             for use in seen.uses_of(call) if use["role"] == READ_WRITTEN]
    assert len(added) == 2 and {seen.source(use) for use in added} == {"gradient"}, [seen.source(use) for use in added]
