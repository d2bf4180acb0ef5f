"""Parts of the hook alone: cores, evaluation, the budget, what is captured, lengths of rows, how items are made, the copy.
test_hook.py HOOK_FOLDER"""
import atexit
import contextlib
import gc
import io
import os
import random
import sys
import tempfile
import threading
import warnings
import weakref
from time import monotonic, sleep

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # as `gait record` does
import torch  # noqa: E402
from gait_hook import (free_memory, model_copy, replace, replace_attention, replace_batch,  # noqa: E402
                       replace_chain, replace_precision, replace_threads)  # noqa: E402
from gait_hook.capture import Call, Capture  # noqa: E402
from gait_hook.chains import Chains  # noqa: E402
from gait_hook.cores import cpus_and_cores  # noqa: E402
from gait_hook.draws import OwnRandomness, shared_states  # noqa: E402
from gait_hook.fetching import LEAF_BYTES, Fetching  # noqa: E402
from gait_hook.free_memory import host_free_bytes  # noqa: E402
from gait_hook.lengths import Lengths, fields_of, longest_of  # noqa: E402
from gait_hook.recorder import NO_STACKS, RANKS_GO_ON, Recorder  # noqa: E402
from gait_hook.result import NO_EVALUATION, evaluations  # noqa: E402
from gait_hook.settings import Settings  # noqa: E402
from gait_hook.timers import Timers  # noqa: E402
from gait_hook.tracer import Tracer  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

torch.manual_seed(1)


def put(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def two_cpus_of_a_core_are_one_core_and_a_quota_caps_them():
    with tempfile.TemporaryDirectory() as root:
        assert cpus_and_cores(root, {0, 1}) == (2, None)  # nothing is told
        for cpu in range(8):
            topology = "sys/devices/system/cpu/cpu%d/topology/" % cpu
            put(root, topology + "physical_package_id", "%d\n" % (cpu % 4 // 2))
            put(root, topology + "core_id", "%d\n" % (cpu % 2))
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
        assert cpus_and_cores(root, {0, 4, 1}) == (3, 2)
        put(root, "proc/self/cgroup", "1:cpu:/old\n0::/jobs/mine\n")
        put(root, "sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n")
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
        put(root, "sys/fs/cgroup/jobs/cpu.max", "250000 100000\n")
        assert cpus_and_cores(root, set(range(8))) == (3, 3)
        put(root, "sys/fs/cgroup/jobs/cpu.max", "damaged\n")
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
    cpus, cores = cpus_and_cores()
    assert cpus >= 1 and (cores is None or 1 <= cores <= cpus)


def free_memory_is_that_of_the_tightest_group_shared_by_the_jobs_processes():
    with tempfile.TemporaryDirectory() as root:
        put(root, "proc/meminfo", "MemTotal: 900 kB\nMemAvailable: 800 kB\n")
        assert host_free_bytes(root) == 800 * 1024
        put(root, "proc/self/cgroup", "5:cpu,memory:/old/job\n0::/jobs/mine\n")
        put(root, "sys/fs/cgroup/jobs/mine/memory.max", "max\n")
        put(root, "sys/fs/cgroup/jobs/mine/memory.current", "100\n")
        put(root, "sys/fs/cgroup/memory/old/job/memory.limit_in_bytes", "9223372036854771712\n")
        put(root, "sys/fs/cgroup/memory/old/job/memory.usage_in_bytes", "100\n")
        assert host_free_bytes(root) == 800 * 1024
        put(root, "sys/fs/cgroup/jobs/memory.max", "7000\n")
        put(root, "sys/fs/cgroup/jobs/memory.current", "1000\n")
        assert host_free_bytes(root) == 6000
        put(root, "sys/fs/cgroup/memory/old/memory.limit_in_bytes", "5000\n")
        put(root, "sys/fs/cgroup/memory/old/memory.usage_in_bytes", "2000\n")
        assert host_free_bytes(root) == 3000
    free_memory.host_free_bytes, kept = (lambda: 4000), free_memory.host_free_bytes
    os.environ["LOCAL_WORLD_SIZE"] = "4"
    try:
        assert replace.free_bytes(torch.device("cpu")) == 1000
    finally:
        free_memory.host_free_bytes = kept
        del os.environ["LOCAL_WORLD_SIZE"]
    assert replace.free_bytes(torch.device("cpu")) > 0


def evaluation_in_most_steps_is_none():
    rounds = [{"untraced": [{"number": 1, "step": 9, "evaluate": 4}, {"number": 2, "step": 9}]}]
    now_and_then = [[3, 9, 0, 0], [4, 9, 0, 5]]
    assert evaluations(rounds, now_and_then, ["n"]) == (rounds, now_and_then, ["n"])
    often = [[3, 9, 1, 5], [4, 9, 0, 5]]
    got = evaluations(rounds, often, ["n"])
    assert got == ([{"untraced": [{"number": 1, "step": 9}, {"number": 2, "step": 9}]}],
                   [[3, 9, 1, 0], [4, 9, 0, 0]], ["n", NO_EVALUATION])
    assert rounds[0]["untraced"][0]["evaluate"] == 4  # what follows may show that it was evaluation


def the_thread_that_trains_is_timed():
    timers, answer = Timers(), []

    def train():
        timers.install(threading.get_ident())
        torch.ones(2, requires_grad=True).sum().backward()
        answer.append(timers.take()[1])
        timers.remove()

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert answer == [{"backward": 1}], answer


def a_jobs_own_collate_is_timed_and_put_back():
    def put_together(rows):
        sleep(0.002)
        return torch.tensor(rows)

    timers = Timers()
    timers.install(threading.get_ident())
    own, default = (torch.utils.data.DataLoader(range(8), 4, collate_fn=f) for f in (put_together, None))
    batches = iter(own)
    next(batches)
    next(iter(default))
    ns, counts = timers.take()
    assert counts["loader"] == 2 and counts["collate"] == 1 and counts["stack"] == 1, counts
    assert 2e6 <= ns["collate"] <= ns["loader"], ns
    timers.remove()
    assert batches._dataset_fetcher.collate_fn is put_together
    assert torch.equal(next(batches), torch.arange(4, 8))


def waiting_for_data_is_told_from_computing():
    def busily(rows):
        until = monotonic() + 0.02
        while monotonic() < until:
            pass

    timers = Timers()
    timers.install(threading.get_ident())
    parts = []
    for put_together in (busily, lambda rows: sleep(0.02)):
        next(iter(torch.utils.data.DataLoader(range(2), collate_fn=put_together)))
        ns = timers.take()[0]
        parts.append(ns["loader_cpu"] / ns["loader"])
    timers.remove()
    assert timers._work._file == -1 and parts[0] > 0.5 and parts[1] < 0.8 * parts[0], parts


class Gathers(nn.Module):
    """A part of the model that cannot do without its gather."""

    def forward(self):
        torch.distributed.all_gather([torch.ones(1)], torch.ones(1))


def backward_passes_of_two_threads_do_not_mix():
    timers = Timers()
    timers.install(threading.get_ident())
    begun, may_end = threading.Event(), threading.Event()
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: begun.set() or may_end.wait() and None)
    other = threading.Thread(target=x.sum().backward)
    other.start()
    begun.wait()
    y = torch.ones(1, requires_grad=True)
    y.register_hook(lambda gradient: may_end.set() or other.join())
    y.sum().backward()
    assert not timers._in_backward
    timers.remove()


def waits_for_collectives_are_timed_by_what_they_do():
    import torch.distributed as dist

    store = dist.HashStore()
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)
    timers = Timers()
    timers.install(threading.get_ident())
    one = torch.ones(1)
    dist.all_reduce(one)
    dist.broadcast(one, 0)
    dist.all_gather([one], torch.ones(1), async_op=True).wait()
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda gradient: dist.all_reduce(gradient))
    x.sum().backward()
    ns, counts = timers.take()
    assert counts == {"collective": 1, "exchange": 2, "backward": 1}, counts
    Gathers()()
    timers._timed_wait("collective", lambda work: None)(None)  # a kind of work that cannot be asked what it is
    assert timers.take()[1] == {"collective": 2}
    timers.remove()
    dist.all_reduce(one)
    assert timers.take() == ({}, {})
    dist.destroy_process_group()


def broadcasts_of_buffers_are_timed():
    import torch.distributed as dist

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    timers = Timers()
    timers.install(threading.get_ident())
    bare, normed = (nn.parallel.DistributedDataParallel(net) for net in (nn.Linear(2, 2), nn.BatchNorm1d(2)))
    timers.take()
    bare(torch.ones(3, 2))
    assert timers.take()[1] == {}
    normed._find_common_rank(0, True)
    assert timers.take()[1] == {"collective": 1}
    normed(torch.ones(3, 2))
    with nn.parallel.DistributedDataParallel.join(normed):  # asks who has them: a part of it
        normed(torch.ones(3, 2))
    ns, counts = timers.take()
    assert counts["buffers"] == 2 and ns["buffers"] > 0, counts
    timers.remove()
    normed(torch.ones(3, 2))
    assert timers.take() == ({}, {})
    dist.destroy_process_group()


class FakeRecorder:
    class result:  # noqa: N801
        rounds, notes = [], []
        note = notes.append


class Clock:
    """Stands still but for sleep(): what a busy machine does between two calls does not count."""

    def __init__(self):
        self.seconds = 1000.0
        replace.monotonic, replace.perf_counter_ns = self.monotonic, self.perf_counter_ns

    def monotonic(self):
        return self.seconds

    def perf_counter_ns(self):
        return round(self.seconds * 1e9)

    def sleep(self, seconds):
        self.seconds += seconds


@contextlib.contextmanager
def a_clock_that_is_set():
    kept = replace.monotonic, replace.perf_counter_ns
    try:
        yield Clock()
    finally:
        replace.monotonic, replace.perf_counter_ns = kept


def bench_of(seconds):
    FakeRecorder.result.notes.clear()
    bench = replace.Bench(FakeRecorder, torch.device("cpu"))
    bench.deadline = replace.monotonic() + seconds
    return bench


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
    assert len(calls) == 4 and notes == ["r: 2 of 2 subjects were not measured: " + replace.OVER], notes
    bench = bench_of(60)
    bench.each("r", [(i,) for i in range(replace.SUBJECTS_MAX + 2)],
               lambda s: bench.alternate("r", s, "how", lambda: None, lambda: None))
    assert len({row["subject"] for row in bench.rows}) == replace.SUBJECTS_MAX
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
    replace.free_bytes, kept = (lambda device: 10), replace.free_bytes
    try:
        model(x)
    finally:
        replace.free_bytes = kept
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
    replace_precision.measure(bench, recorder)
    assert {row["subject"] for row in bench.rows} == {"Linear, Linear: forward and backward"}, bench.rows
    assert ran[:6] == [(body, True)] + 2 * [(head, False)] + [(body, True)] + 2 * [(head, True)], ran[:6]
    assert all(x.grad is None for call in capture.parts for x in call.args)
    try:
        replace_batch.measure(bench, recorder)
        raise AssertionError("the batch of a part")
    except replace.Skipped as why:
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

    measurements = replace._measurements
    replace._measurements = lambda recorder, bench: [("r", measured)]
    FakeRecorder.result.notes.clear()
    with contextlib.redirect_stderr(io.StringIO()) as stderr:
        try:
            warn("seen")
            replace.measure(Measured)
            warn("seen")
            warn("new")
        finally:
            replace._measurements = measurements
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
    shape = replace_attention.Shape([6, 8, 4], 8, 4, "add", [6, 8, 8], torch.float32)
    mask = replace_attention._mask(shape, torch.device("cpu"))
    q, k, v = (replace_attention._heads(shape, 8, 4, torch.device("cpu")) for _ in range(3))
    ((_, fused),) = replace_attention._fused_forms(shape, mask)
    with Called() as called:
        given = fused(q, k, v)
    assert any("flash_attention" in name for name in called.names), called.names
    assert torch.allclose(given, replace_attention._plain(shape, mask)(q, k, v), atol=1e-5)


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
    for measured, how in ((replace_batch, "a batch of 6, each row twice"), (replace_precision, "autocast to bfloat16"),
                          (replace_threads, "%d threads" % (threads + 1))):
        bench, recorder = bench_of(60), FakeRecorder()
        recorder.captured = capture
        replace_threads._advice, kept = (lambda *facts: (replace_threads.FEW, threads + 1)), replace_threads._advice
        try:
            measured.measure(bench, recorder)
        finally:
            replace_threads._advice = kept
        assert {row["how"] for row in bench.rows} == {how + ", on a copy, with a captured input"}, bench.rows
        assert len(bench.rows) >= replace.TURNS_MIN and torch.get_num_threads() == threads
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
        with replace.prints_unheard():
            print("a copy")
            other = threading.Thread(target=print, args=("the job's own",))
            other.start()
            other.join()
        print("after it")
    assert heard.getvalue() == "the job's own\nafter it\n", heard.getvalue()


def rows_are_doubled_where_all_inputs_have_as_many():
    call = Call(nn.Linear(4, 2), (torch.arange(12.0).view(3, 4), 0.5), {"mask": torch.ones(3)}, None)
    assert replace_batch._batch(call) == 3
    larger = replace_batch.doubled(call)
    assert larger.args[0].shape == (6, 4) and torch.equal(larger.args[0][3:], call.args[0]) and larger.args[1] == 0.5
    assert larger.kwargs["mask"].shape == (6,) and call.args[0].shape == (3, 4)
    for odd in (torch.ones(5), torch.ones(0)):
        call.kwargs["mask"] = odd
        try:
            replace_batch._batch(call)
            raise AssertionError("a batch of 3 and %d" % len(odd))
        except replace.Skipped as why:
            assert not str(why)


def gelu_by_hand(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def norm_by_hand(x):
    centred = x - x.mean(-1, keepdim=True)
    scale, shift = torch.randn(16, requires_grad=True), torch.randn(16, requires_grad=True)
    return centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5) * scale + shift


def hard_swish_by_hand(x):
    return x * nn.functional.relu6(x + 3) / 6


def answers_by_hand(x):
    answers = torch.zeros(x.shape)
    answers[0] = 1
    return (torch.relu(x) - x * answers + torch.log(1 + torch.exp(-x.abs()))).mean()


def huber_by_hand(x):
    error = (x - torch.zeros(x.shape).fill_(0.1)).abs()
    return torch.where(error < 0.5, 0.5 * error**2, 0.5 * (error - 0.25)).mean()


def chains_of(job, **autocast):
    """What is seen of two layers that call job(x), with a product before and after it."""
    layer, x = nn.Linear(16, 16), torch.randn(8, 16)
    chains = Chains()
    chains.install()
    for _ in range(2):
        with torch.autocast("cpu", **autocast) if autocast else contextlib.nullcontext():
            y = job(layer(x))
            y = layer(y) if y.dim() else y
        y.sum().backward()
    chains.remove()
    return chains


def a_chain_is_measured_against_the_call_that_gives_the_same():
    for job, call in ((gelu_by_hand, 'F.gelu(x, approximate="tanh")'), (hard_swish_by_hand, "F.hardswish(x)"),
                      (norm_by_hand, "F.layer_norm(x, x.shape[-1:], weight, bias)"),
                      (answers_by_hand, "F.binary_cross_entropy_with_logits(x, y)"),
                      (huber_by_hand, "F.huber_loss(x, y, delta=0.5)")):
        chains, bench = chains_of(job), bench_of(60)
        assert [chain.count for chain in chains.found.values()] == [2], (job, chains.found)
        replace_chain.measure(bench, chains)
        assert {row["how"] for row in bench.rows} == {call + ", which gives the same"}, (job, bench.rows)
        assert len(bench.rows) >= replace.TURNS_MIN and "2 layers" in bench.rows[0]["subject"], bench.rows
    for job in (hard_swish_by_hand, lambda x: huber_by_hand(x.float())):
        lower, bench = chains_of(job, dtype=torch.bfloat16), bench_of(60)
        replace_chain.measure(bench, lower)
        assert bench.rows and [chain.autocast for chain in lower.found.values()] == [torch.bfloat16], bench.rows


def what_no_call_gives_is_not_measured():
    def of_its_own(x):
        return torch.tanh(x) * 0.3 + x * x - torch.exp(-x * x)

    some = torch.ones(8, 1)

    def gelu_of_some(x):
        return gelu_by_hand(x) * some

    def in_place(x):
        return (x * 2 + 1).mul_(0.5).sub_(x)

    for job, measured in ((of_its_own, False), (gelu_of_some, True), (in_place, False)):
        bench = bench_of(60)
        replace_chain.measure(bench, chains_of(job))
        assert bool(bench.rows) == measured and not FakeRecorder.result.notes, (job, bench.rows)
        # what takes more than the call does is left out
        assert all(row["subject"].split(" of ")[0].split() == "mul mul mul mul add mul tanh add mul".split() for row in bench.rows)


def a_jobs_own_function_mode_stays():
    depth = torch._C._len_torch_function_stack
    with torch.device("cpu"):
        chains = Chains()
        chains.install()
        assert depth() == 1
        chains.remove()
    chains.install()
    with torch.device("cpu"):
        chains.remove()  # the job's is above ours
        assert depth() == 2 and torch.ones(2).device.type == "cpu"
    assert depth() == 1 and torch._C._get_function_stack_at(0).chains is None
    torch._C._pop_torch_function_stack()
    with torch.device("cpu"):
        pass
    assert depth() == 0


def the_overhead_bench_runs():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "bench"))
    import record_overhead

    with tempfile.TemporaryDirectory() as folder:
        hooks, job = record_overhead.Hooks(folder), record_overhead.EmptyJob(nn.Linear(1, 1))
        try:
            ratios, alone = record_overhead.pairs(hooks, job, 1, 1)
            assert len(ratios) == len(alone) == 1 and alone[0] > 0
            assert hooks.recorder.cycle.calls == record_overhead.SETTLE + 1, hooks.recorder.cycle.calls
        finally:
            hooks.recorder._uninstall()


def recorder_in(folder, **settings):
    """One that is installed, as `gait record` would; the caller uninstalls it."""
    chosen = Settings()
    chosen.folder = folder
    chosen.__dict__.update(settings)
    recorder = Recorder(chosen, sys.modules["torch.optim.optimizer"])
    recorder.install()
    atexit.unregister(recorder._at_exit)
    return recorder


def model_and_optimizer():
    model = nn.Linear(2, 2)
    return model, torch.optim.SGD(model.parameters(), 0.1)


def take_steps(model, optimizer, n):
    for _ in range(n):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()


def without_its_folder_the_job_goes_on():
    """Its own profiler, its steps and a fork work although nothing can be written."""
    for first in ("profiler", "steps"):
        with tempfile.TemporaryDirectory() as folder:
            recorder = recorder_in(folder, warmup=0, untraced=1, traced=1, rounds=1, replacements=0)
            job = model_and_optimizer()
            take_steps(*job, 1)
        if first == "profiler":
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
                take_steps(*job, 1)
            assert recorder.result.state == "job profiles itself", recorder.result.state
        else:
            take_steps(*job, 12)
            assert recorder.result.state == "failed", recorder.result.state
        recorder._at_exit()
        recorder._forget_in_child()
        assert torch.autograd.backward.__name__ == "backward" and not hasattr(torch.save, "__wrapped__")


class Odd:
    """Raises whatever is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)


class OddModule(nn.Module):
    @property
    def training(self):
        raise RuntimeError("not told")

    @training.setter
    def training(self, value):
        pass

    def __call__(self, x):
        return super().__call__(x)

    def forward(self, x):
        return x


def what_is_odd_of_the_job_raises_nothing():
    timers = Timers()
    timers._undo["loader"] = None
    timers._thread = threading.get_ident()
    timed = timers._timed_next("loader", lambda iterator: 5)
    assert timed(Odd()) == 5 and timers.take()[1]["loader"] == 1
    capture = Capture([model_and_optimizer()[1]])
    capture.install()
    try:
        assert OddModule()(3) == 3
    finally:
        capture.remove()


def nothing_of_the_job_is_held():
    """Training in folds: each has a model, an optimizer and a loader of its own, and frees them."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=10 ** 6)
        try:
            gone = []
            for _ in range(3):
                job = model_and_optimizer()
                loader = iter(torch.utils.data.DataLoader(range(4), collate_fn=lambda rows: rows))
                next(loader)
                take_steps(*job, 12)  # enough to see that a new phase began
                next(loader)
                assert list(recorder.optimizers().values()) == [job[1]]
                gone += [weakref.ref(x) for x in (*job, loader._dataset_fetcher)]
                del job, loader
                gc.collect()
                assert not any(x() for x in gone), [x() for x in gone]
                assert recorder.optimizers() == {}
            recorder._start_over()
            assert recorder._optimizers == {}
        finally:
            recorder._uninstall()


def a_capture_holds_nothing_after_its_step():
    model, optimizer = model_and_optimizer()
    other, capture = nn.Linear(2, 2), Capture([optimizer])
    capture.install()
    other(torch.ones(1, 2))
    assert len(capture._others) == 1
    held = [weakref.ref(x) for x in (model, other, optimizer)]
    del model, other, optimizer
    gc.collect()
    assert not any(x() for x in held)
    capture.remove()
    assert not capture._trained and not capture._others


def padded_tokens(rows, lengths, filled, pad=0):
    x = torch.full((rows, filled), pad)
    for row, length in zip(x, lengths):
        row[:length] = torch.randint(1, 9, (length,))
    return x


def padding_is_seen_in_what_rows_end_with():
    def longest(*tensors):
        seen = longest_of([field for x in tensors for field in fields_of(x)])
        return seen and (seen["rows"], seen["filled"], seen["longest"])

    lengths = [20, 7, 24, 11]
    tokens = padded_tokens(4, lengths, 32)
    values = torch.randn(4, 32, 5) * (tokens > 0).unsqueeze(2)
    assert longest(tokens) == longest(tokens.t()) == longest(tokens.flip(1)) == (4, 32, 24)
    assert longest(values) == longest(values.transpose(1, 2)) == longest(values.transpose(0, 1)) == (4, 32, 24)
    assert longest(tokens > 0) == longest(tokens == 0) == (4, 32, 24)  # a mask, of either sense
    assert longest(padded_tokens(4, lengths, 32, pad=-100)) == (4, 32, 24)
    positions = torch.arange(32).expand(4, 32)
    assert longest(tokens, positions, torch.zeros(4, 32)) == (4, 32, 24)
    # filled to the longest; used to the end by another field; rows of one length; sparse data; small
    assert longest(padded_tokens(4, [20, 7, 32, 11], 32)) is None
    assert longest(tokens, torch.randn(4, 32)) is None
    assert longest(padded_tokens(4, [24] * 4, 32)) is None
    assert longest(padded_tokens(4, lengths, 32) * (torch.arange(32) % 2)) is None
    assert longest(padded_tokens(4, [5, 6, 9, 2], 12)) is None
    assert longest(torch.randn(4, 32, 32), torch.randint(0, 9, (4, 32)), torch.full((4, 32), float("nan"))) is None


def fields_that_end_before_their_rows_are_no_padding():
    def longest(*tensors):
        return longest_of([field for x in tensors for field in fields_of(x)])

    ids = torch.randint(5, 99, (8, 128))
    ids[:, 0], ids[:, -1] = 1, 2  # the first and the last token of all rows are one
    first_parts = torch.arange(128) < torch.randint(40, 90, (8, 1))
    kinds, targets = (~first_parts).long(), ids.masked_fill(first_parts, -100)
    for fields in ((ids, kinds, torch.ones(8, 128)), (ids, targets)):
        seen = longest(*fields)
        assert seen is None or seen["longest"] >= 127, seen


def what_says_nothing_of_rows_is_not_looked_at():
    lengths, linear = Lengths(), nn.Linear(1, 1)
    tokens = padded_tokens(8, [40, 80, 33, 20, 66, 71, 50, 64], 128)
    causal = torch.ones(128, 128).tril()
    made = torch.randn(8, 128, 4, requires_grad=True)
    lengths.install()
    lengths._see(linear, (tokens, causal, made), {})
    lengths.remove()
    assert lengths.steps == [{"rows": 8, "filled": 128, "longest": 80}], lengths.steps


def a_job_that_watches_operators_sees_its_own_alone():
    class Watch(torch.utils._python_dispatch.TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Watch.seen += 1
            return func(*args, **(kwargs or {}))

    lengths, linear, rows = Lengths(), nn.Linear(16, 1), torch.ones(4, 16)
    lengths.install()
    with Watch():
        linear(rows)
    lengths.remove()
    assert not lengths.steps and 0 < Watch.seen < 4, (lengths.steps, Watch.seen)


def nothing_is_looked_at_after_the_end_though_the_job_wraps_calls():
    lengths, linear, kept = Lengths(), nn.Linear(16, 1), nn.Module.__call__
    lengths.install()
    ours = nn.Module.__call__
    nn.Module.__call__ = lambda module, *args, **kwargs: ours(module, *args, **kwargs)
    lengths.remove()
    linear(torch.ones(4, 16))
    nn.Module.__call__ = kept
    assert not lengths._fields and not lengths._tensors


def lengths_are_looked_at_in_steps_that_are_not_timed():
    embedding = nn.EmbeddingBag(9, 2)
    optimizer = torch.optim.SGD(embedding.parameters(), 0.1)
    own = nn.Module.__call__
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=2, traced=1, rounds=3, replacements=0)
        watched = set()
        try:
            for _ in range(40):
                if nn.Module.__call__ is not own:
                    watched.add(recorder.cycle.steps() + 1)
                embedding(padded_tokens(4, [20, 7, 24, 11], 32)).sum().backward()
                optimizer.step()
        finally:
            recorder._uninstall()
    timed = {step["number"] for r in recorder.result.rounds for kind in ("untraced", "traced") for step in r[kind]}
    assert recorder.result.lengths == 3 * [{"rows": 4, "filled": 32, "longest": 24}], recorder.result.lengths
    assert len(watched) == 3 and not watched & timed and nn.Module.__call__ is own, (watched, timed)


def odd_inputs_are_passed_on():
    lengths = Lengths()
    lengths.install()
    try:
        assert OddModule()(3) == 3
        with torch.device("meta"):
            nn.Identity()(torch.ones(4, 32))
        nn.Identity()(torch.ones(4, 32).to_sparse())
        nn.Identity()(torch.ones(0, 32))
    finally:
        lengths.remove()
    assert lengths.steps == [], lengths.steps


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


def record_of_rank(rank, world, n_steps, slow_steps=(), prefetched=0):
    """Is the job stopped, and the result."""
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world))
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=4, untraced=1, traced=2, rounds=2, replacements=0, stop_after=1)
        try:
            model, optimizer = model_and_optimizer()
            for step in range(n_steps):
                sleep(0.01 if step in slow_steps else 0)
                recorder.timers.prefetched = prefetched
                take_steps(model, optimizer, 1)
            return False, recorder.result
        except SystemExit:
            return True, recorder.result
        finally:
            recorder._uninstall()
            del os.environ["RANK"], os.environ["WORLD_SIZE"]


def ranks_trace_the_same_steps_and_do_not_stop():
    traced = []
    for rank, slow_steps, prefetched in ((0, (), 0), (1, range(1, 12, 2), 8)):
        stopped, result = record_of_rank(rank, 2, 60, slow_steps, prefetched)
        assert not stopped and result.state == "complete" and RANKS_GO_ON in result.notes, result.notes
        assert result.tail[-1][0] == 60
        traced.append([step["number"] for r in result.rounds for step in r["traced"]])
    assert traced[0] == traced[1] and len(traced[0]) == 4, traced
    stopped, result = record_of_rank(0, 1, 60)
    assert stopped and not result.notes and result.rounds[0]["traced"][0]["number"] < traced[0][0], result.notes


def a_jobs_own_python_profiler_stays():
    notes = []
    for profiled in (False, True):
        job, events = model_and_optimizer(), []
        with tempfile.TemporaryDirectory() as folder:
            recorder = recorder_in(folder, warmup=3, untraced=1, traced=1, rounds=3, replacements=0)
            sys.setprofile((lambda frame, event, arg: events.append(event)) if profiled else None)
            try:
                take_steps(*job, 30)
                own = sys.getprofile() is not None
            finally:
                sys.setprofile(None)
                recorder._uninstall()
        result = recorder.result
        assert own == profiled and result.state == "complete" and len(result.rounds) == 3, result.notes
        assert [r["stacks"] for r in result.rounds] == [False, not profiled, False], result.rounds
        notes.append(result.notes)
    assert notes == [[], [NO_STACKS]], notes


def an_event_costs_what_it_costs_on_the_cpu():
    seen, zeros = [], torch.zeros

    def watched(*args, **kwargs):
        seen.append(zeros(*args, **kwargs))
        return seen[-1]

    torch.zeros = watched
    try:
        with torch.device("meta"):
            Tracer().event_cost_ns()
    finally:
        torch.zeros = zeros
    assert [x.device.type for x in seen] == ["cpu"], seen


two_cpus_of_a_core_are_one_core_and_a_quota_caps_them()
free_memory_is_that_of_the_tightest_group_shared_by_the_jobs_processes()
evaluation_in_most_steps_is_none()
the_thread_that_trains_is_timed()
waits_for_collectives_are_timed_by_what_they_do()
broadcasts_of_buffers_are_timed()
backward_passes_of_two_threads_do_not_mix()
a_jobs_own_collate_is_timed_and_put_back()
waiting_for_data_is_told_from_computing()
the_seconds_are_a_budget()
one_pair_is_kept_where_the_other_way_took_longer()
warnings_of_copies_are_not_shown_and_those_of_the_job_not_again()
the_copy_runs_in_the_jobs_own_precision()
only_the_models_input_is_copied()
a_model_called_in_parts_is_measured_part_after_part()
attention_with_folded_heads_is_measured_against_the_fused_form()
the_copy_has_no_hooks()
a_copy_is_measured_in_turns_and_the_jobs_model_stays()
time_that_is_short_is_noted_unless_nobody_asked()
what_copies_print_is_not_heard()
rows_are_doubled_where_all_inputs_have_as_many()
a_chain_is_measured_against_the_call_that_gives_the_same()
what_no_call_gives_is_not_measured()
a_jobs_own_function_mode_stays()
the_overhead_bench_runs()
without_its_folder_the_job_goes_on()
what_is_odd_of_the_job_raises_nothing()
nothing_of_the_job_is_held()
a_capture_holds_nothing_after_its_step()
padding_is_seen_in_what_rows_end_with()
fields_that_end_before_their_rows_are_no_padding()
what_says_nothing_of_rows_is_not_looked_at()
a_job_that_watches_operators_sees_its_own_alone()
nothing_is_looked_at_after_the_end_though_the_job_wraps_calls()
lengths_are_looked_at_in_steps_that_are_not_timed()
odd_inputs_are_passed_on()
items_that_draw_are_told_from_those_that_do_not()
numpys_shared_generator_is_looked_at_too()
what_is_drawn_when_a_batch_is_put_together_is_no_matter()
drawing_is_not_guessed_at()
a_large_data_set_is_not_searched_without_end()
items_are_looked_at_in_steps_that_are_not_timed()
ranks_trace_the_same_steps_and_do_not_stop()
a_jobs_own_python_profiler_stays()
an_event_costs_what_it_costs_on_the_cpu()
print("ok")
