"""Calls that are left out: the job's numbers stay as they are, whatever it does with what it gets instead."""
import types

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gait_hook.measuring import without
from gait_hook.measuring.left_out import ALL, ITS_SOURCE, KEPT, LeftOut, Planned


class Calls(TorchDispatchMode):
    """Each call of a step through that, or its number and function written down."""

    def __init__(self, calls=None):
        super().__init__()
        self.calls, self.sequence = calls, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if self.calls is not None:
            return self.calls.call(function, args, kwargs or {})
        self.sequence.append((len(self.sequence), function))
        return function(*args, **(kwargs or {}))


def run(step, calls, of=None, checks=False):
    """(what the step gives, was it as planned?, calls left out, was one not left out that should be?)"""
    calls.begin(of, checks)
    with Calls(calls):
        result = step()
    ended = calls.is_whole(), calls.left, calls.missed_ns > 0
    calls.end_step()
    assert calls.error is None, calls.error
    return result, *ended


def planned(step, plan):
    """plan: {name of an operator: sources of its calls in turn; None: it runs}; a source may be (name, its number)."""
    with Calls() as seen:
        step()
    numbers = {}
    for number, function in seen.sequence:
        numbers.setdefault(function._schema.name.split("::")[-1], []).append(number)
    calls = {}
    for name, sources in plan.items():
        for number, source in zip(numbers[name], sources):
            if source is not None:
                source = numbers[source[0]][source[1]] if isinstance(source, tuple) else source
                calls[number] = Planned(source, 8, "again")
    return LeftOut(seen.sequence, calls)


def leaves_out(step, plan, n):
    """Is the step the same without these calls, in turn with steps that have them? Left out are n of them."""
    calls = planned(step, plan)
    wanted = step()
    for _ in range(2):
        assert torch.equal(run(step, calls, checks=True)[0], wanted)
    assert not calls.failed, calls.failed
    for turn in range(4):
        result, *ended = run(step, calls, "again" if turn % 2 else None)
        assert torch.equal(result, wanted)
        assert ended == [True, n if turn % 2 else 0, False], ended
    return calls


def runs_after_all(step, plan, change):
    """Checked, then something changes: is the step what it is without us?"""
    calls = planned(step, plan)
    for _ in range(2):
        run(step, calls, checks=True)
    assert not calls.failed
    change()
    result, _, left, missed = run(step, calls, "again")
    assert torch.equal(result, step()) and not left and missed, (result, left, missed)


def what_is_the_same_in_every_step_is_kept():
    x = torch.randn(8, 8)
    leaves_out(lambda: x * (torch.ones(8, 8).tril() * 0.5), {"ones": [KEPT], "tril": [KEPT], "mul": [KEPT]}, 3)


def what_is_made_from_something_filled_in_place_is_kept():
    x = torch.randn(8)

    def step():
        return x * (torch.zeros(8).add_(2).exp() + 1)

    leaves_out(step, {"exp": [KEPT], "add": [KEPT]}, 2)
    state = types.SimpleNamespace(n=2)
    runs_after_all(lambda: torch.zeros(8).add_(state.n).exp(), {"exp": [KEPT]}, lambda: setattr(state, "n", 3))


def what_its_reader_would_copy_is_handed_out_itself():
    """Attention asks for its mask as if it wrote to it."""
    from torch.nn.functional import scaled_dot_product_attention

    q = torch.randn(2, 4, 64, 32)

    def step():
        mask = torch.ones(64, 64).tril().log()
        return scaled_dot_product_attention(q, q, q, attn_mask=mask)

    calls = leaves_out(step, {"ones": [KEPT], "tril": [KEPT], "log": [KEPT]}, 3)
    run(step, calls, ALL)
    made = [made for made in calls._kept.values() if made.pristine is not None]
    assert len(made) == 1
    calls.planned, wanted = dict(calls.planned), step()
    for _ in range(2):
        result, whole, left, missed = run(step, calls, "again")
        assert torch.equal(result, wanted) and whole and left == 3 and not missed
    another = made[0].result.view(-1)  # somebody has it still
    assert torch.equal(run(step, calls, "again")[0], wanted)
    another.add_(1)  # or wrote to it
    run(step, calls)
    result, _, left, missed = run(step, calls, "again")
    assert torch.equal(result, wanted) and left == 2 and missed


def what_was_done_before_in_a_step_is_there():
    w, x = torch.randn(8, 8, requires_grad=True), torch.randn(8, 8)

    def step():
        loss = (x @ w).exp().sum() + (x @ w).exp().mean()
        return torch.autograd.grad(loss, w)[0]

    leaves_out(step, {"mm": [None, ("mm", 0)], "exp": [None, ("exp", 0)]}, 2)


def a_copy_is_its_source():
    x = torch.randn(8)
    leaves_out(lambda: x.clone() + 1, {"clone": [ITS_SOURCE]}, 1)


def a_result_that_is_written_to_leaves_the_other_alone():
    x = torch.randn(8)

    def step(write):
        first, second = x.exp(), x.exp()
        write(first, second)
        return torch.stack([first, second])

    for write in (lambda a, b: a.add_(1), lambda a, b: b.add_(1), lambda a, b: b.view(-1)[2:].add_(1), lambda a, b: b.numpy().fill(3)):
        leaves_out(lambda: step(write), {"exp": [None, ("exp", 0)]}, 1)


def a_copy_stays_what_it_was_when_its_source_is_written():
    x = torch.randn(8)

    def step():
        y = x.exp()
        before = y.clone().detach()
        y.add_(1)
        return y - before

    leaves_out(step, {"clone": [ITS_SOURCE]}, 1)


def what_outlives_the_step_is_the_jobs_own():
    x, kept = torch.randn(8), []

    def step():
        y = x.exp()
        kept.append((y, y.clone().detach(), torch.ones(8).cumsum(0)))
        return y

    calls = planned(step, {"clone": [ITS_SOURCE], "ones": [KEPT], "cumsum": [KEPT]})
    for i in range(4):
        assert run(step, calls, "again" if i > 1 else None, i < 2)[2] == (3 if i > 1 else 0)
    calls.release()
    for y, _, sums in kept[4:]:  # nobody watches any more
        y.add_(1)
        sums.zero_()
    assert all(torch.equal(copy, x.exp()) for _, copy, _ in kept)
    assert torch.equal(kept[-2][2], torch.arange(1.0, 9.0)) and not kept[-1][2].any()


def other_numbers_are_computed():
    """A length that changes, a number, an input that is written to, also where PyTorch does not count it; another layout."""
    state = types.SimpleNamespace(n=8, x=torch.randn(8, 8))
    runs_after_all(lambda: torch.arange(state.n).exp(), {"arange": [KEPT], "exp": [KEPT]}, lambda: setattr(state, "n", 6))
    runs_after_all(lambda: state.x.add(state.n), {"add": [KEPT]}, lambda: setattr(state, "n", 7))
    runs_after_all(lambda: state.x.exp(), {"exp": [KEPT]}, lambda: state.x.add_(1))
    runs_after_all(lambda: state.x.clone(memory_format=torch.contiguous_format).view(-1), {"clone": [ITS_SOURCE]},
                   lambda: setattr(state, "x", state.x.t()))


def a_write_that_pytorch_does_not_count_is_seen():
    x, due = torch.randn(8), []

    def step():
        if due:
            x.data.copy_(torch.ones(8))
        return x.exp()

    calls = planned(step, {"exp": [KEPT]})
    for _ in range(2):
        run(step, calls, checks=True)
    due.append(True)
    result, whole, left, _ = run(step, calls, "again")  # not as planned from there on
    assert torch.equal(result, torch.ones(8).exp()) and not whole and not left
    due.clear()
    result, whole, left, missed = run(step, calls, "again")
    assert torch.equal(result, torch.ones(8).exp()) and whole and not left and missed


def what_is_read_beside_a_write_stays_kept():
    x = torch.randn(8, 8)

    def step():
        mask = torch.ones(8, 8).tril() == 0
        return x.exp().masked_fill_(mask, -9.0)

    leaves_out(step, {"ones": [KEPT], "tril": [KEPT], "eq": [KEPT]}, 3)


def statistics_of_a_norm_are_updated_each_time():
    norm, x = torch.nn.BatchNorm1d(8), torch.randn(4, 8)
    step = lambda: norm(x) + norm(x)  # noqa: E731
    calls = planned(step, {"native_batch_norm": [None, ("native_batch_norm", 0)]})
    run(step, calls, checks=True)
    assert calls.failed and not calls.planned  # what it is given changes
    means = []
    for of in (None, "again"):
        norm.reset_running_stats()
        run(step, calls, of)
        means.append(norm.running_mean.clone())
    assert torch.equal(*means)


def inference_tensors_are_not_handed_to_training():
    x, w = torch.randn(8), torch.randn(8, requires_grad=True)

    def step():
        with torch.inference_mode():
            x.exp()
        return torch.autograd.grad((x.exp() * w).sum(), w)[0]

    calls = planned(step, {"exp": [None, ("exp", 0)]})
    run(step, calls, checks=True)
    assert torch.equal(run(step, calls, "again")[0], x.exp())


def what_is_not_there_is_noticed():
    """A plan that is wrong: the second result is another one. It is not handed out after that."""
    x, y = torch.randn(8), torch.randn(8)
    calls = planned(lambda: x.exp() + y.exp(), {"exp": [None, ("exp", 0)]})
    run(lambda: x.exp() + y.exp(), calls, checks=True)
    assert calls.failed["again"] == calls.took["again"] > 0
    result, _, left, _ = run(lambda: x.exp() + y.exp(), calls, "again")
    assert torch.equal(result, x.exp() + y.exp()) and not left


def other_calls_end_it():
    calls = planned(lambda: torch.arange(8).exp(), {"arange": [KEPT], "exp": [KEPT]})
    for _ in range(2):
        run(lambda: torch.arange(8).exp(), calls, checks=True)
    result, whole, left, _ = run(lambda: torch.arange(8).sin(), calls, "again")
    assert torch.equal(result, torch.arange(8).sin()) and not whole and left == 1


def errors_of_ours_are_not_the_jobs():
    x = torch.randn(8)
    calls = planned(lambda: x.exp(), {"exp": [KEPT]})
    calls._is_there = None
    calls.begin(None, True)
    with Calls(calls):
        assert torch.equal(x.exp(), torch.exp(x))
    assert isinstance(calls.error, TypeError) and not calls.is_whole()


def sparse_tensors_go_through():
    x = torch.randn(8, 8).to_sparse()
    y = torch.randn(8, 8)
    leaves_out(lambda: torch.sparse.mm(x, y).add_(1) * torch.ones(8, 8), {"ones": [KEPT]}, 1)


class Result:
    def __init__(self):
        self.folder, self.pid, self.notes, self.replacements, self.device = "/nonexistent", 1, [], [], torch.device("cpu")

    def note(self, text):
        self.notes.append(text)


def turns_of(step, plan, steps, step_ns=1000, ns=None, rare=()):
    """Rows and notes of so many steps, in which a step takes ns(number)."""
    calls = planned(step, plan)
    result = Result()
    turns = without.Without(result, [], {}, 1000, step_ns)
    turns._calls = calls
    assert turns.install()
    for i in range(steps):
        step()
        if not turns.step_ended(ns(i) if ns else 1000, i in rare):
            break
    assert turns.remove() and not torch._C._len_torch_dispatch_stack()
    return result, i + 1


def _gains_in_turns():
    x = torch.randn(64, 64)
    result, steps = turns_of(lambda: x + torch.ones(64, 64).tril(), {"ones": [KEPT], "tril": [KEPT]}, 500, ns=lambda i: 10**9 - i % 2 * 10**8)
    assert steps == without.CHECKED_STEPS + 1 + 2 * without.PAIRS_MOST and not result.notes, (steps, result.notes)
    row = result.replacements[0]
    assert len(result.replacements) == without.PAIRS_MOST and row["rule"] == "again" and row["subject"] == "2 calls"
    return sorted(row["now_ns"] - row["instead_ns"] for row in result.replacements)


def steps_with_and_without_are_compared_in_turns():
    for tries_left in 2, 1, 0:  # what the hook itself takes is in a gain too: much, where other work has the machine
        gains = _gains_in_turns()
        swings = -10**8 < gains[0] < -9 * 10**7 and 9 * 10**7 < gains[-1] < 11 * 10**7
        if swings and abs(sum(gains)) < 10**8:  # a period of two steps is no gain
            return
        assert tries_left, gains


def steps_that_do_more_are_not_compared():
    x = torch.randn(64, 64)
    plan = {"ones": [KEPT], "tril": [KEPT]}
    rare = range(2, 500, 3)
    result, _ = turns_of(lambda: x + torch.ones(64, 64).tril(), plan, 60, ns=lambda i: 10**6 if i in rare else 10**9, rare=rare)
    assert result.replacements and all(row["now_ns"] > 9 * 10**8 for row in result.replacements)
    result, steps = turns_of(lambda: x + torch.ones(64, 64).tril(), plan, 500, rare=range(500))
    assert without.UNLIKE in result.notes and not result.replacements and steps == without.UNLIKE_MOST + 1


def what_takes_no_time_is_not_run_without():
    x = torch.randn(64, 64)
    result, steps = turns_of(lambda: x + torch.ones(2, 2).tril().sum(), {"ones": [KEPT], "tril": [KEPT]}, 500, step_ns=10**12)
    assert steps == without.CHECKED_STEPS + 1 and not result.replacements and not result.notes


def nobody_who_answers_is_no_plan():
    result = Result()
    assert without.ask(result) == {} and not result.notes
