"""How far parameters move, and what they are called."""
import math
import tempfile

import torch
from gait_hook.contract import Moved
from gait_hook.observing import movement as hook_movement
from gait_hook.observing.movement import LEFT_OUT, OWN_MODE, SAMPLE, STEPS, Movement, sample_places, sign_rows
from gait_hook.observing.parameter_names import names_of, without_wrappers
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from shared import recorder_in


class Steps:
    """A model, its optimizer, and a Movement that follows it as the recorder would."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.notes = []
        self.movement = Movement(self.notes.append)
        self.movement.meet(optimizer, True)

    def take(self, n, may_look=True):
        for _ in range(n):
            self.optimizer.zero_grad()
            self.model(torch.rand(4, 8)).square().sum().backward()
            self.optimizer.step()
            if self.movement.is_due(self.optimizer):
                self.movement.look(self.optimizer, may_look)
        return self

    def rows(self, what):
        return [row for row in self.movement.rows() if row[1] == what]


def two_layers():
    return nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 600))  # 4800 elements: more than are looked at


def norms_are_those_of_the_parameters():
    torch.manual_seed(2)
    model = two_layers()
    first = [p.detach().clone() for p in model.parameters()]
    steps = Steps(model, torch.optim.SGD(model.parameters(), 1e-3)).take(3)
    assert [row[2] for row in steps.rows(Moved.MOVEMENT)] == [1] * 4 + [2] * 4
    assert steps.movement.parameters == [["0.weight", 64], ["0.bias", 8], ["1.weight", 4800], ["1.bias", 600]]
    steps.take(1)  # the fourth is looked at
    for what, values in ((Moved.WEIGHTS, first), (Moved.MOVEMENT, [p - f for p, f in zip(model.parameters(), first)])):
        for (parameter, _, _, norm, *along), x in zip(steps.rows(what)[-4:], values):
            true = x.double().norm().item()
            assert abs(norm - true) < (1e-6 if x.numel() <= SAMPLE else 0.03) * true, (parameter, norm, true)
            assert 0.2 * true < math.sqrt(sum(a * a for a in along) / 4) < 3 * true, (along, true)
    assert len(steps.rows(Moved.GRADIENT)) == 4 and not steps.notes


def a_frozen_group_does_not_move():
    model = two_layers()
    groups = [{"params": model[0].parameters()}, {"params": model[1].parameters(), "lr": 0.0}]
    moved = {}
    for row, _, _, norm, *_ in Steps(model, torch.optim.SGD(groups, 0.1)).take(2).rows(Moved.MOVEMENT):
        moved[row] = norm
    assert moved[0] > 0 and moved[1] > 0 and moved[2] == moved[3] == 0, moved


def directions_are_told_apart():
    """Adam's first step is as long whatever the gradient; its direction is not."""
    def first_gradient(factor):
        torch.manual_seed(3)
        model = two_layers()
        model[0].weight.register_hook(lambda g: g * factor)
        return {row: values for row, _, _, *values in Steps(model, torch.optim.Adam(model.parameters())).take(1).rows(Moved.GRADIENT)}

    plain, same, turned = first_gradient(1), first_gradient(1), first_gradient(torch.where(torch.eye(8) > 0, -1.0, 1.0))
    assert plain == same
    apart = math.sqrt(sum((a - b) ** 2 for a, b in zip(plain[0][1:], turned[0][1:])) / 4)
    assert abs(plain[0][0] - turned[0][0]) < 1e-6 * plain[0][0] and apart > 0.1 * plain[0][0], (plain[0], turned[0])


def it_ends_after_the_last_look():
    model = nn.Linear(8, 8)
    steps = Steps(model, torch.optim.SGD(model.parameters(), 1e-3)).take(STEPS[-1])
    assert [row[2] for row in steps.rows(Moved.MOVEMENT) if row[0] == 0] == list(STEPS)
    assert not any(followed.parameters for followed in steps.movement._followed.values())


def what_is_watched_is_not_looked_at():
    model = nn.Linear(8, 8)
    steps = Steps(model, torch.optim.SGD(model.parameters(), 1e-3)).take(1, may_look=False).take(1)
    assert {row[2] for row in steps.rows(Moved.MOVEMENT)} == {2}


class Nothing(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def a_mode_of_the_jobs_own_sees_nothing_of_it():
    model = nn.Linear(8, 8)
    with Nothing():
        steps = Steps(model, torch.optim.SGD(model.parameters(), 1e-3)).take(1)
    assert steps.notes[0] == OWN_MODE and not steps.movement.rows()


class OwnTensor(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("not to be asked")


def odd_parameters_are_left_out():
    plain = nn.Parameter(torch.ones(8))
    odd = torch.Tensor._make_subclass(OwnTensor, torch.ones(8), True)
    whole = torch.zeros(3, dtype=torch.complex64, requires_grad=True)
    notes = []
    movement = Movement(notes.append)
    optimizer = torch.optim.SGD([plain, odd, whole, torch.zeros(0, requires_grad=True)], 0.1)
    movement.meet(optimizer, True)
    assert [row[0] for row in movement.rows()] == [0] and notes == [LEFT_OUT % 3], (notes, movement.rows())


def odd_settings_of_the_job_do_not_matter():
    """Deterministic algorithms, a default device and type, parameters across their memory, gradients that are not kept."""
    model = two_layers()
    model[1].weight = nn.Parameter(torch.rand(8, 600).t())
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    state = torch.get_rng_state()
    torch.use_deterministic_algorithms(True)
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            movement = Movement(print)
            movement.meet(optimizer, True)
            assert movement.is_due(optimizer)
            movement.look(optimizer, True)
    finally:
        torch.use_deterministic_algorithms(False)
        torch.set_default_dtype(torch.float32)
    assert [row[1] for row in movement.rows()] == [Moved.WEIGHTS] * 4 + [Moved.MOVEMENT] * 4
    assert torch.equal(state, torch.get_rng_state())


def many_parameters_share_rows():
    kept = hook_movement.ROWS_MAX
    hook_movement.ROWS_MAX = 3
    try:
        model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(4)))
        steps = Steps(model, torch.optim.SGD(model.parameters(), 0.1)).take(1)
    finally:
        hook_movement.ROWS_MAX = kept
    assert steps.movement.parameters == [["0.weight and 2 more", 136], ["1.bias and 2 more", 80], ["3.weight and 1 more", 72]]
    true = math.sqrt(sum(p.grad.double().square().sum().item() for p in list(model.parameters())[:3]))
    assert abs(steps.rows(Moved.GRADIENT)[0][3] - true) < 1e-6 * true


def parameters_have_the_names_of_their_modules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
            self.b.weight = self.a.weight

    net, other = Net(), nn.Linear(2, 2)
    loose = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.SGD([{"params": list(net.parameters())}, {"params": [other.weight, loose]}], 0.1)
    assert names_of(optimizer) == ["a.weight", "a.bias", "b.bias", "Linear.weight", "group 1, parameter 1"]
    wrapped = nn.Sequential()
    wrapped.module = net
    assert names_of(optimizer)[:3] == ["a.weight", "a.bias", "b.bias"]
    assert without_wrappers("module._orig_mod.a.weight") == "a.weight"
    given = torch.optim.SGD(net.named_parameters(), 0.1)
    assert names_of(given) == ["a.weight", "a.bias", "b.bias"]


def samples_are_spread_and_the_same_everywhere():
    places = sample_places(1 << 20)
    assert len(set(places)) == SAMPLE and max(places) < 1 << 20 and len({p % 1024 for p in places}) > 900
    assert sum(sum(row) for row in sign_rows()) == sum(sum(row) for row in sign_rows()) and sign_rows()[0][:4] != sign_rows()[1][:4]


def the_recorder_follows_a_job():
    """What it takes is in no step; the job's numbers stay as they were."""
    def train():
        torch.manual_seed(7)
        model = two_layers()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
        for _ in range(30):
            optimizer.zero_grad()
            model(torch.rand(4, 8)).square().mean().backward()
            optimizer.step()
        return [p.detach().clone() for p in model.parameters()], torch.rand(1)

    alone = train()
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=2, traced=2, rounds=1, replacements=0)
        try:
            recorded = train()
            rows = recorder.movement.rows()
        finally:
            recorder._uninstall()
    assert all(map(torch.equal, alone[0], recorded[0])) and alone[1] == recorded[1]
    assert {1, 2, 4} <= {row[2] for row in rows if row[1] == Moved.MOVEMENT} and len(recorder.losses.rows()) == 30
