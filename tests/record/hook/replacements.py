"""Other ways that are measured: their budget, and the copies they are measured on."""
import contextlib
import io
import tempfile
import threading
import warnings

import torch
from gait_hook import beside
from gait_hook.beside import Skipped, prints_unheard
from gait_hook.measuring import attention, batch, measure, model_copy, precision
from gait_hook.measuring import bench as hook_bench
from gait_hook.measuring import threads as hook_threads
from gait_hook.observing.capture import Call, Capture
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from shared import FakeRecorder, a_clock_that_is_set, bench_of, model_and_optimizer, recorder_in


def the_seconds_are_a_budget():
    notes = FakeRecorder.result.notes
    calls = []
    with a_clock_that_is_set() as clock:
        def taking(seconds):
            def call():
                calls.append(1)
                clock.sleep(seconds)

            return call

        bench = bench_of(0.6)
        bench.each("r", [("a",), ("b",)], lambda s: bench.alternate("r", s, "how", taking(0.15), taking(0.01)))
        assert len(calls) == 4 and not bench.rows and len(notes) == 2, (calls, notes)  # 8 pairs do not fit
        assert "both ways once take" in notes[0], notes
    bench = bench_of(-1)
    bench.each("r", [("a",), ("b",)], lambda s: calls.append(s))
    assert len(calls) == 4 and notes == ["r: 2 of 2 subjects were not measured: " + hook_bench.OVER], notes
    bench = bench_of(60)
    bench.each("r", [(i,) for i in range(hook_bench.SUBJECTS_MAX + 2)],
               lambda s: bench.alternate("r", s, "how", lambda: None, lambda: None))
    assert len({row["subject"] for row in bench.rows}) == hook_bench.SUBJECTS_MAX
    assert len(notes) == 1 and notes[0].startswith("r: 2 of 10 subjects"), notes


def only_the_models_input_is_copied():
    model, other = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)), nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *other.parameters()], 0.1)
    capture = Capture([optimizer])
    capture.install()
    x = torch.ones(2, 8)
    other(x)
    model(x)
    model(x + 1)
    capture.remove()
    assert capture.call.module is model and capture.call.count == 2 and not capture.why_not
    assert capture.call.args[0] is not x and torch.equal(capture.call.args[0], x)
    small = Capture([optimizer])
    small.install()
    beside.free_bytes, kept = (lambda device: 10), beside.free_bytes
    try:
        model(x)
    finally:
        beside.free_bytes = kept
        small.remove()
    assert small.call is None and "free" in small.why_not, small.why_not


def a_model_called_in_parts_is_measured_part_after_part():
    body, head, loss = nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(1, 1)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], 0.1)
    capture = Capture([optimizer])
    capture.install()
    x = torch.ones(2, 8)
    with torch.autocast("cpu", torch.bfloat16):
        y = body(x)
    for _ in range(2):
        loss(head(y.float()).sum().view(1))
    capture.remove()
    assert capture.call is None and [(c.module, c.count) for c in capture.parts] == [(body, 1), (head, 2)], capture.parts
    ran = []
    for part in (body, head):
        part.forward = lambda x, part=part: ran.append((part, torch.is_autocast_enabled("cpu"))) or nn.Linear.forward(part, x)
    recorder, bench = FakeRecorder(), bench_of(60)
    recorder.captured = capture
    precision.measure(bench, recorder)
    assert {row["subject"] for row in bench.rows} == {"Linear, Linear: forward and backward"}, bench.rows
    assert ran[:6] == [(body, True)] + 2 * [(head, False)] + [(body, True)] + 2 * [(head, True)], ran[:6]
    assert all(x.grad is None for call in capture.parts for x in call.args)
    try:
        batch.measure(bench, recorder)
        raise AssertionError("the batch of a part")
    except Skipped as why:
        assert "one module" in str(why)
    too_little = Capture([optimizer])
    too_little.install()
    body(x)
    too_little.remove()
    assert too_little.call is None and not too_little.parts


def one_pair_is_kept_where_the_other_way_took_longer():
    with a_clock_that_is_set() as clock:
        bench = bench_of(0.5)
        bench.each("r", [("a",)], lambda s: bench.alternate("r", s, "how", lambda: clock.sleep(0.01), lambda: clock.sleep(0.15), 2))
    (row,) = bench.rows
    assert (row["round"], row["now_ns"], row["instead_ns"]) == (0, 20_000_000, 300_000_000), row
    (note,) = FakeRecorder.result.notes
    assert note.startswith("r: one pair was kept") and "more with --replacements" in note, note


def warnings_of_copies_are_not_shown_and_those_of_the_job_not_again():
    def warn(text):
        warnings.warn(text, stacklevel=1)

    def measured():
        warn("seen")
        warn("of the copy")

    class Measured(FakeRecorder):
        class result(FakeRecorder.result):  # noqa: N801
            device = torch.device("cpu")

        class settings:  # noqa: N801
            replacements = 1.0

    measurements = measure._measurements
    measure._measurements = lambda recorder, bench: [("r", measured)]
    FakeRecorder.result.notes.clear()
    with contextlib.redirect_stderr(io.StringIO()) as stderr:
        try:
            warn("seen")
            measure.measure(Measured)
            warn("seen")
            warn("new")
        finally:
            measure._measurements = measurements
    shown = [line for line in stderr.getvalue().splitlines() if "UserWarning" in line]
    assert [line.split("UserWarning: ")[1] for line in shown] == ["seen", "new"], shown
    assert not FakeRecorder.result.notes, FakeRecorder.result.notes


def the_copy_runs_in_the_jobs_own_precision():
    for own in (None, torch.float16, torch.bfloat16):
        model, optimizer = model_and_optimizer()
        capture = Capture([optimizer])
        capture.install()
        with torch.autocast("cpu", own, enabled=own is not None):
            model(torch.ones(1, 2))
        capture.remove()
        assert capture.call.autocast is own, capture.call.autocast
        seen = []
        model.register_forward_hook(lambda module, args, output: seen.append(output.dtype))
        with torch.autocast("cpu", torch.bfloat16):  # a job may step its optimizer under autocast
            model_copy.forward_backward(model, capture.call, "cpu", capture.call.autocast)()
        assert seen == [own or torch.float32], seen


class Owner:
    """What a hook belongs to; it must be neither called nor copied."""

    def __init__(self):
        self.calls = 0

    def __deepcopy__(self, memo):
        raise AssertionError("copied")

    def seen(self, *args):
        self.calls += 1


class Called(TorchDispatchMode):
    """Names of the operators that are called."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.__name__)
        return function(*args, **(kwargs or {}))


def attention_with_folded_heads_is_measured_against_the_fused_form():
    shape = attention.Shape([6, 8, 4], 8, 4, "add", [6, 8, 8], torch.float32)
    mask = attention._mask(shape, torch.device("cpu"))
    q, k, v = (attention._heads(shape, 8, 4, torch.device("cpu")) for _ in range(3))
    ((_, fused),) = attention._fused_forms(shape, mask)
    with Called() as called:
        given = fused(q, k, v)
    assert any("flash_attention" in name for name in called.names), called.names
    assert torch.allclose(given, attention._plain(shape, mask)(q, k, v), atol=1e-5)


def the_copy_has_no_hooks():
    owner, model = Owner(), nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for module in (model, model[0]):
        module.register_forward_hook(owner.seen)
        module.register_forward_pre_hook(owner.seen)
        module.register_full_backward_hook(owner.seen)
    everywhere = nn.modules.module.register_module_forward_hook(owner.seen)
    twin = model_copy.twin_of(model)
    with model_copy.without_global_hooks():
        twin(torch.ones(2, 4, requires_grad=True)).sum().backward()
    assert owner.calls == 0
    model(torch.ones(2, 4, requires_grad=True)).sum().backward()
    everywhere.remove()
    assert owner.calls >= 6 + 3, owner.calls
    assert twin[0].weight.grad is not None and not torch.equal(twin[0].weight.grad, torch.zeros(4, 4))


def a_copy_is_measured_in_turns_and_the_jobs_model_stays():
    model, optimizer = model_and_optimizer()
    capture = Capture([optimizer])
    capture.install()
    model(torch.ones(3, 2))
    capture.remove()
    threads = torch.get_num_threads()
    before = [p.detach().clone() for p in model.parameters()]
    for measured, how in ((batch, "a batch of 6, each row twice"), (precision, "autocast to bfloat16"),
                          (hook_threads, "%d threads" % (threads + 1))):
        bench, recorder = bench_of(60), FakeRecorder()
        recorder.captured = capture
        hook_threads._advice, kept = (lambda *facts: (hook_threads.FEW, threads + 1)), hook_threads._advice
        try:
            measured.measure(bench, recorder)
        finally:
            hook_threads._advice = kept
        assert {row["how"] for row in bench.rows} == {how + ", on a copy, with a captured input"}, bench.rows
        assert len(bench.rows) >= hook_bench.TURNS_MIN and torch.get_num_threads() == threads
    assert all(torch.equal(a, b) and b.grad is None for a, b in zip(before, model.parameters()))


def time_that_is_short_is_noted_unless_nobody_asked():
    model, optimizer = model_and_optimizer()
    capture = Capture([optimizer])
    capture.install()
    model(torch.ones(3, 2))
    capture.remove()
    for told in (True, False):
        with a_clock_that_is_set() as clock:
            bench, recorder = bench_of(0.2), FakeRecorder()
            recorder.captured = capture
            model_copy.measure_copy(bench, recorder, "r", lambda call, run: ("how", lambda: clock.sleep(0.15), lambda: None),
                                    time_is_told=told)
        assert not bench.rows and len(FakeRecorder.result.notes) == told, FakeRecorder.result.notes


def what_copies_print_is_not_heard():
    heard = io.StringIO()
    with contextlib.redirect_stdout(heard):
        with prints_unheard():
            print("a copy")
            other = threading.Thread(target=print, args=("the job's own",))
            other.start()
            other.join()
        print("after it")
    assert heard.getvalue() == "the job's own\nafter it\n", heard.getvalue()


def rows_are_doubled_where_all_inputs_have_as_many():
    call = Call(nn.Linear(4, 2), (torch.arange(12.0).view(3, 4), 0.5), {"mask": torch.ones(3)}, None)
    assert batch._batch(call) == 3
    larger = batch.doubled(call)
    assert larger.args[0].shape == (6, 4) and torch.equal(larger.args[0][3:], call.args[0]) and larger.args[1] == 0.5
    assert larger.kwargs["mask"].shape == (6,) and call.args[0].shape == (3, 4)
    for odd in (torch.ones(5), torch.ones(0)):
        call.kwargs["mask"] = odd
        try:
            batch._batch(call)
            raise AssertionError("a batch of 3 and %d" % len(odd))
        except Skipped as why:
            assert not str(why)


def anomaly_detection_is_measured_and_stays_as_it_is():
    """Also where it is on in the job's own passes alone, and not when the step ends."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=1, traced=1, rounds=1, replacements=20)
        model, optimizer = model_and_optimizer()
        try:
            for _ in range(110):
                with torch.autograd.set_detect_anomaly(True):
                    model(torch.ones(1, 2)).sum().backward()
                optimizer.step()
            assert recorder.result.state == "complete" and recorder.result.settings["anomaly_detection"] == 1
        finally:
            recorder._uninstall()
        rows = [row for row in recorder.result.replacements if row["rule"] == "process-settings"]
        assert len(rows) >= 3 and rows[0]["how"].startswith("no anomaly detection"), recorder.result.notes
        assert not torch.is_anomaly_enabled()
