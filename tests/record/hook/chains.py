"""Elementwise calls in a row, and the one call that gives the same."""
import contextlib
import itertools

import torch
from gait_hook.beside import Skipped
from gait_hook.measuring import bench as hook_bench
from gait_hook.measuring import chain as replace_chain
from gait_hook.observing import chains as hook_chains
from gait_hook.observing.chains import Chains
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from shared import FakeRecorder, bench_of

depth = torch._C._len_torch_function_stack


def gelu_by_hand(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def norm_by_hand(x, eps=1e-5):
    scale, shift = torch.randn(16, requires_grad=True), torch.randn(16, requires_grad=True)
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + eps) * scale + shift


def scale_by_hand(x):
    scale = torch.randn(16, requires_grad=True)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-4) * scale


def hard_swish_by_hand(x):
    return x * nn.functional.relu6(x + 3) / 6


def answers_by_hand(x):
    answers = torch.zeros(x.shape)
    answers[0] = 1
    return (torch.relu(x) - x * answers + torch.log(1 + torch.exp(-x.abs()))).mean()


def huber_by_hand(x):
    error = (x - torch.zeros(x.shape).fill_(0.1)).abs()
    return torch.where(error < 0.5, 0.5 * error**2, 0.5 * (error - 0.25)).mean()


def chances_by_hand(x, chances_of=torch.sigmoid):
    answers = torch.zeros(x.shape)
    answers[::2] = 1
    chances = chances_of(x)
    return (-answers * torch.log(chances) - (1 - answers) * torch.log(1 - chances)).sum()


def chains_of(job, rows=8, **autocast):
    """What is seen of two layers that call job(x), with a product before and after it."""
    layer, x = nn.Linear(16, 16), torch.randn(rows, 16)
    chains = Chains()
    chains.install()
    try:
        for _ in range(2):
            with torch.autocast("cpu", **autocast) if autocast else contextlib.nullcontext():
                y = job(layer(x))
                y = layer(y) if y.dim() else y
            y.sum().backward()
    finally:
        chains.remove()
    return chains


def names_of(chains):
    return sorted([call[0].strip("_") for call in chain.calls] for chain in chains.found.values())


def calls_found(chains):
    bench = bench_of(60)
    replace_chain.measure(bench, chains)
    return {row["how"].replace(", which gives the same", "") for row in bench.rows}


def a_chain_is_measured_against_the_call_that_gives_the_same():
    for job, call in ((gelu_by_hand, 'F.gelu(x, approximate="tanh")'), (hard_swish_by_hand, "F.hardswish(x)"),
                      (norm_by_hand, "F.layer_norm(x, x.shape[-1:], weight, bias)"),
                      (lambda x: norm_by_hand(x, 1e-6), "F.layer_norm(x, x.shape[-1:], weight, bias, eps=1e-06)"),
                      (scale_by_hand, "F.rms_norm(x, x.shape[-1:], weight, eps=0.0001)"),
                      (chances_by_hand, 'F.binary_cross_entropy_with_logits(x, y, reduction="sum")'),
                      (lambda x: chances_by_hand(x, nn.Softmax(-1)), 'F.binary_cross_entropy(x, y, reduction="sum")'),
                      (answers_by_hand, "F.binary_cross_entropy_with_logits(x, y)"),
                      (huber_by_hand, "F.huber_loss(x, y, delta=0.5)")):
        chains, bench = chains_of(job), bench_of(60)
        assert [chain.count for chain in chains.found.values()] == [2], (job, chains.found)
        replace_chain.measure(bench, chains)
        assert {row["how"] for row in bench.rows} == {call + ", which gives the same"}, (job, bench.rows)
        assert len(bench.rows) >= hook_bench.TURNS_MIN and "2 layers" in bench.rows[0]["subject"], bench.rows


def in_lower_precision_it_is_told_by_numbers_of_higher():
    for job, call in ((hard_swish_by_hand, "F.hardswish(x)"), (gelu_by_hand, 'F.gelu(x, approximate="tanh")'),
                      (lambda x: gelu_by_hand(x.float()).bfloat16(), 'F.gelu(x, approximate="tanh")'),
                      (lambda x: huber_by_hand(x.float()), "F.huber_loss(x, y, delta=0.5)")):
        chains = chains_of(job, dtype=torch.bfloat16)
        assert [chain.autocast for chain in chains.found.values()] == [torch.bfloat16], chains.found
        assert calls_found(chains) == {call}, call


def what_is_alike_in_one_step_is_not_taken_for_the_same():
    beta = nn.Parameter(torch.ones(()))

    def quick_gelu(x):
        return x * (1 / (1 + torch.exp(-1.702 * x)))

    def soft_sign_of_little(x):
        little = x * 1e-3
        return little / (1 + little.abs())

    def swish_that_is_trained(x):
        return x / (1 + torch.exp(-beta * x))

    def half_a_square_of_little(x):
        wanted = x.detach() + 0.1 * torch.rand(x.shape)
        return (0.5 * (x - wanted) ** 2).mean()

    assert calls_found(chains_of(quick_gelu, dtype=torch.bfloat16)) <= {"torch.sigmoid(x)"}
    for job in (soft_sign_of_little, swish_that_is_trained):
        assert calls_found(chains_of(job)) == set(), job
    assert calls_found(chains_of(half_a_square_of_little)) == {'F.mse_loss(x, y, reduction="none")'}  # and not the huber_loss


def what_something_else_reads_has_to_be_made():
    def gelu_and_a_part_of_it(x):
        bent = torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x))
        return 0.5 * x * (1 + bent) + bent

    assert calls_found(chains_of(gelu_and_a_part_of_it)) == set()


def one_odd_chain_leaves_the_others():
    chains = chains_of(gelu_by_hand)
    odd = chains_of(hard_swish_by_hand).found.popitem()
    odd[1].calls[0] = ("add", None, (), {})
    odd[1].count = 1000  # the first to be measured
    chains.found.update([odd])
    assert calls_found(chains) == {'F.gelu(x, approximate="tanh")'}
    assert [note for note in FakeRecorder.result.notes if "TypeError" in note], FakeRecorder.result.notes
    assert calls_found(chains_of(gelu_by_hand, rows=0)) == set() and not FakeRecorder.result.notes, FakeRecorder.result.notes


def all_copies_together_are_bounded():
    kept, hook_chains.free_bytes = hook_chains.free_bytes, lambda device: 600 * hook_chains.FREE_PART
    try:
        chains = chains_of(lambda x: hard_swish_by_hand(nn.functional.linear(gelu_by_hand(x), torch.eye(16))))
    finally:
        hook_chains.free_bytes = kept
    assert len(chains.found) == 1 and chains.why_not, chains.why_not
    assert calls_found(chains) == {'F.gelu(x, approximate="tanh")'}
    assert len(FakeRecorder.result.notes) == 1 and chains.why_not in FakeRecorder.result.notes[0], FakeRecorder.result.notes


def the_search_ends_with_its_time():
    chain = chains_of(gelu_by_hand).found.popitem()[1]
    asked = itertools.count()
    try:
        replace_chain.spellings(chain, replace_chain._values(chain), lambda: next(asked) >= 2)
        raise AssertionError("it went on")
    except Skipped as why:
        assert hook_bench.OVER in str(why) and next(asked) == 3


def nothing_is_held_while_the_job_does_something_else():
    layer, held, chains = nn.Linear(16, 16), [], Chains()
    layer.weight.register_hook(lambda gradient: held.append(len(chains._run.places)))
    chains.install()
    try:
        gelu_by_hand(layer(torch.ones(4, 16))).sum().backward()
    finally:
        chains.remove()
    assert held == [0] and len(chains.found) == 1, held


def a_chain_ends_where_something_is_done_in_place():
    def around(in_place):
        def job(x):
            y = (x * 2 + 1 - x.abs()) * 3
            in_place(y)
            return torch.tanh(y).exp() * 2 + 1
        return job

    for in_place in (lambda y: nn.functional.relu(y, inplace=True), lambda y: nn.functional.hardtanh(y, -1, 1, True),
                     lambda y: y.mul_(2)):
        names = names_of(chains_of(around(in_place)))
        assert names == [["mul", "add", "abs", "sub", "mul"], ["tanh", "exp", "mul", "add"]], names
    assert len(names_of(chains_of(around(nn.functional.relu)))[0]) == 10


def chains_of_other_numbers_or_another_order_are_others():
    numbers = itertools.count()

    def of_a_number(x):
        return (x * next(numbers) + 1).tanh().exp()

    def of_a_place(x):
        parts = [x * 2, x + 1]
        return (parts[next(numbers) % 2] - 3).exp() * parts[0]

    for job in (of_a_number, of_a_place):
        assert [chain.count for chain in chains_of(job).found.values()] == [1, 1], job


def layers_keep_their_own_way_in_an_evaluation():
    layer, x = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), torch.randn(2, 4, 16)
    frozen = nn.BatchNorm1d(16).eval()
    for module in (layer, nn.TransformerEncoder(layer, 1), layer.self_attn):
        given = (x,) * 3 if module is layer.self_attn else (x,)
        chains = Chains()
        with torch.no_grad():
            alone = module.eval()(*given)
        module.train()
        chains.install()
        try:
            frozen(gelu_by_hand(module(*given)[0]).reshape(-1, 16)[:4])
            assert depth() == 1
            with torch.no_grad():
                watched = module.eval()(*given)
            assert depth() == 0 and not nn.modules.module._global_forward_pre_hooks
        finally:
            chains.remove()
        assert torch.equal(alone[0], watched[0]) and len(chains.found) == 1, names_of(chains)


def where_the_job_looks_at_operators_itself_nothing_is_followed():
    class Looks(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    with Looks():
        assert chains_of(gelu_by_hand).found == {}


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
    chains.remove()
    assert depth() == 0
