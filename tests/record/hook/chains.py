"""Elementwise calls in a row, and the one call that gives the same."""
import contextlib

import torch
from gait_hook import replace, replace_chain
from gait_hook.chains import Chains
from torch import nn

from shared import FakeRecorder, bench_of


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
