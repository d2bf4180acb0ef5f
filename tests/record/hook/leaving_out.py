"""Calls that are left out: the job's numbers stay as they are, whatever it does with what it gets instead."""
import types

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gait_hook import without
from gait_hook.left_out import ITS_SOURCE, KEPT, LeftOut, Planned


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
    calls.begin(of, checks)
    with Calls(calls):
        result = step()
    whole, left, missed = calls.is_whole(), calls.left, calls.missed
    calls.end_step()
    assert calls.error is None, calls.error
    return result, whole, left, missed


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


def leaves_out(step, plan, n, checked=True):
    """Is the step the same without these calls, in turn with steps that have them? Left out are n of them."""
    calls = planned(step, plan)
    wanted = step()
    for _ in range(2):
        assert torch.equal(run(step, calls, checks=True)[0], wanted)
    assert not checked or not calls.failed, calls.failed
    for turn in range(4):
        result, whole, left, missed = run(step, calls, "again" if turn % 2 else None)
        assert torch.equal(result, wanted)
        assert whole and (left, missed) == ((n, 0) if turn % 2 else (0, 0)), (whole, left, missed)
    return calls


def what_is_the_same_in_every_step_is_kept():
    x = torch.randn(8, 8)
    leaves_out(lambda: x * (torch.ones(8, 8).tril() * 0.5), {"ones": [KEPT], "tril": [KEPT], "mul": [KEPT]}, 3)


def what_is_filled_in_place_is_kept_as_it_ends():
    x = torch.randn(8)

    def step():
        mask = torch.zeros(8)
        mask.add_(2).mul_(3)
        return x * mask

    leaves_out(step, {"zeros": [KEPT], "add_": [ITS_SOURCE], "mul_": [ITS_SOURCE]}, 3)


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

    def step():
        first, second = x.exp(), x.exp()
        second.add_(1)
        return torch.stack([first, second])

    leaves_out(step, {"exp": [None, ("exp", 0)]}, 1)

    def other_way_round():
        first, second = x.exp(), x.exp()
        first.add_(1)
        return torch.stack([first, second])

    leaves_out(other_way_round, {"exp": [None, ("exp", 0)]}, 1)


def a_copy_stays_what_it_was_when_its_source_is_written():
    x = torch.zeros(8)

    def step():
        before = x.clone()
        x.add_(1)
        now = x - before
        x.zero_()
        return now

    leaves_out(step, {"clone": [ITS_SOURCE]}, 1)


def a_copy_that_outlives_the_step_is_the_jobs_own():
    x, copies = torch.zeros(8), []
    calls = planned(lambda: copies.append(x.clone()), {"clone": [ITS_SOURCE]})
    copies.clear()
    run(lambda: copies.append(x.clone()), calls, "again")
    x.add_(1)  # nobody watches any more
    assert torch.equal(copies[0], torch.zeros(8))


def other_numbers_are_computed():
    """A length that changes, another input, another sequence of calls."""
    state = types.SimpleNamespace(n=8, x=torch.randn(8))
    calls = planned(lambda: torch.arange(state.n).exp(), {"arange": [KEPT], "exp": [KEPT]})
    for _ in range(2):
        run(lambda: torch.arange(state.n).exp(), calls, checks=True)
    state.n = 6
    result, whole, left, missed = run(lambda: torch.arange(state.n).exp(), calls, "again")
    assert torch.equal(result, torch.arange(6).exp()) and whole and (left, missed) == (0, 2)
    result, whole, left, missed = run(lambda: torch.arange(8).sin(), calls, "again")
    assert torch.equal(result, torch.arange(8).sin()) and not whole

    calls = planned(lambda: state.x.exp(), {"exp": [KEPT]})
    for _ in range(2):
        run(lambda: state.x.exp(), calls, checks=True)
    state.x.add_(1)
    result, _, left, missed = run(lambda: state.x.exp(), calls, "again")
    assert torch.equal(result, state.x.exp()) and (left, missed) == (0, 1)


def what_is_not_there_is_noticed():
    """A plan that is wrong: the second result is another one."""
    x, y = torch.randn(8), torch.randn(8)
    calls = planned(lambda: x.exp() + y.exp(), {"exp": [None, ("exp", 0)]})
    run(lambda: x.exp() + y.exp(), calls, checks=True)
    assert calls.failed["again"] == calls.took["again"] > 0
    result, _, left, missed = run(lambda: x.exp() + y.exp(), calls, "again")  # nor would it be handed out
    assert torch.equal(result, x.exp() + y.exp()) and (left, missed) == (0, 1)


def errors_of_ours_are_not_the_jobs():
    x = torch.randn(8)
    calls = planned(lambda: x.exp(), {"exp": [KEPT]})
    calls._is_there = None
    calls.begin(None, True)
    with Calls(calls):
        assert torch.equal(x.exp(), torch.exp(x))
    assert isinstance(calls.error, TypeError) and not calls.is_whole()


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


def steps_with_and_without_are_compared_in_turns():
    x = torch.randn(64, 64)
    result, steps = turns_of(lambda: x + torch.ones(64, 64).tril(), {"ones": [KEPT], "tril": [KEPT]}, 500, ns=lambda i: 10**9 - i % 2 * 10**8)
    assert steps == without.CHECKED_STEPS + 2 * without.PAIRS_MOST and not result.notes, (steps, result.notes)
    row = result.replacements[0]
    assert len(result.replacements) == without.PAIRS_MOST and row["rule"] == "again" and row["subject"] == "2 calls"
    assert row["now_ns"] == 10**9 and 8 * 10**8 < row["instead_ns"] <= 9 * 10**8  # less what handing out took


def steps_that_do_more_are_not_compared():
    x = torch.randn(64, 64)
    plan = {"ones": [KEPT], "tril": [KEPT]}
    rare = range(2, 500, 3)
    result, _ = turns_of(lambda: x + torch.ones(64, 64).tril(), plan, 60, ns=lambda i: 10**6 if i in rare else 10**9, rare=rare)
    assert result.replacements and all(row["now_ns"] == 10**9 for row in result.replacements)
    result, steps = turns_of(lambda: x + torch.ones(64, 64).tril(), plan, 500, rare=range(500))
    assert without.UNLIKE in result.notes and not result.replacements and steps == without.UNLIKE_MOST + 1


def what_takes_no_time_is_not_run_without():
    x = torch.randn(64, 64)
    result, steps = turns_of(lambda: x + torch.ones(2, 2).tril().sum(), {"ones": [KEPT], "tril": [KEPT]}, 500, step_ns=10**12)
    assert steps == without.CHECKED_STEPS and not result.replacements and not result.notes


def nobody_who_answers_is_no_plan():
    result = Result()
    assert without.ask(result) == {} and not result.notes
