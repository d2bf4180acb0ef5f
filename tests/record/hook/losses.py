"""What each step's backward passes were called on."""
import tempfile
import threading

import torch
from gait_hook.observing.losses import NOT_A_LOSS, Losses, read_number
from torch import nn

from shared import model_and_optimizer, recorder_in


class Steps:
    """As the recorder's cycle: so many steps, and calls that make one."""

    def __init__(self, steps, period):
        self.steps, self.period = lambda: steps, period


def recorded(train):
    """The losses of a job, and the recorder's notes; warm-up is long, so nothing is traced."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=10 ** 6)
        try:
            wanted = train()
            return recorder.losses.rows(), wanted, recorder.result.notes
        finally:
            recorder._uninstall()


def losses_are_noted_from_the_first_step():
    def train():
        model, optimizer = model_and_optimizer()
        seen = []
        for _ in range(5):
            loss = model(torch.rand(3, 2)).square().mean()
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
            loss.detach().zero_()  # what the job does with it later is not noted
        return seen

    rows, wanted, notes = recorded(train)
    assert rows == [(i + 1, loss, 1) for i, loss in enumerate(wanted)] and not notes, (rows, wanted, notes)


def passes_of_a_step_add_up():
    def train():
        model, optimizer = model_and_optimizer()
        seen = []
        for _ in range(4):
            losses = [model(torch.rand(3, 2)).square().mean() / 3 for _ in range(3)]
            losses[0].backward()
            torch.autograd.backward(losses[1:])
            optimizer.step()
            seen.append(sum(loss.item() for loss in losses))
        return seen

    rows, wanted, _ = recorded(train)
    assert [(number, passes) for number, _, passes in rows] == [(i, 2) for i in range(1, 5)], rows
    assert all(abs(row[1] - loss) < 1e-6 for row, loss in zip(rows, wanted)), (rows, wanted)


def of_two_optimizers_the_cycle_is_the_step():
    def train():
        (one, of_one), (two, of_two) = model_and_optimizer(), model_and_optimizer()
        for _ in range(6):
            for _ in range(2):
                one(torch.ones(1, 2)).sum().mul(0).add(1).backward()
                of_one.step()
            two(torch.ones(1, 2)).sum().mul(0).add(5).backward()
            of_two.step()

    rows, _, _ = recorded(train)
    assert rows == [(i, 7.0, 3) for i in range(1, 7)], rows


def what_begins_from_several_numbers_is_not_a_loss():
    def train():
        model, optimizer = model_and_optimizer()
        for i in range(4):
            y = model(torch.ones(1, 2))
            if i == 2:
                y.backward(torch.ones_like(y))
            else:
                y.sum().backward()
            optimizer.step()

    rows, _, notes = recorded(train)
    assert [row[0] for row in rows] == [1, 2, 4] and notes == [NOT_A_LOSS], (rows, notes)


def what_is_measured_on_copies_leaves_no_note():
    notes = []
    losses = Losses(notes.append)
    losses.install()
    losses.trains_in(threading.get_ident())
    for forgotten in True, False:
        ends = [torch.ones(1, requires_grad=True) * 2, torch.ones(2, requires_grad=True) * 2]
        torch.autograd.backward(ends, [torch.ones(1), torch.ones(2)])
        if forgotten:
            losses.forget_passes()
        losses.call_ended()
        assert notes == ([] if forgotten else [NOT_A_LOSS]), notes
    losses.remove()


def scaled_losses_count_as_they_were():
    for enabled in True, False:
        def train():
            model, optimizer = model_and_optimizer()
            scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 14, enabled=enabled)  # noqa: B023
            seen = []
            for _ in range(3):
                loss = model(torch.rand(3, 2)).square().mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
                seen.append(loss.item())
            return seen

        rows, wanted, notes = recorded(train)
        assert [row[1] for row in rows] == wanted and not notes, (rows, wanted)
    assert not hasattr(torch.amp.GradScaler.scale, "__wrapped__")


def a_pass_within_a_pass_is_not_a_loss():
    from torch.utils.checkpoint import checkpoint

    def train():
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            x = torch.ones(1, 2, requires_grad=True)
            checkpoint(model, x, use_reentrant=True).sum().backward()
            optimizer.step()

    rows, _, notes = recorded(train)
    assert [row[2] for row in rows] == [1, 1, 1] and not notes, (rows, notes)


def closures_train_too():
    def train():
        model = nn.Linear(2, 2)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)

        def closure():
            optimizer.zero_grad()
            loss = model(torch.ones(1, 2)).square().sum()
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)

    rows, _, _ = recorded(train)
    assert [row[0] for row in rows] == [1, 2, 3] and all(row[2] >= 1 for row in rows), rows


def lightning_trains_too():
    try:
        import logging

        import lightning
    except ImportError:
        return
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net, self.seen = nn.Linear(2, 1), []

        def training_step(self, batch, _):
            loss = self.net(batch).square().mean()
            self.seen.append(loss.item())
            return loss

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), 0.1)

    def train():
        model = Model()
        trainer = lightning.Trainer(max_steps=4, accelerator="cpu", logger=False, enable_checkpointing=False,
                                    enable_progress_bar=False, enable_model_summary=False)
        trainer.fit(model, torch.utils.data.DataLoader(torch.rand(8, 2), 2))
        return model.seen

    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=10 ** 6)
        try:
            wanted = train()
            rows, names = recorder.losses.rows(), [name for name, _ in recorder.movement.parameters]
        finally:
            recorder._uninstall()
    assert [row[1] for row in rows] == wanted and names == ["net.weight", "net.bias"], (rows, wanted, names)


def numbers_are_read_from_memory():
    for dtype in torch.float32, torch.float64, torch.bfloat16, torch.float16:
        x = torch.tensor([0.0, -3.140625], dtype=dtype)
        assert read_number(torch, x[1]) == -3.140625, dtype
    assert read_number(torch, torch.tensor(3, dtype=torch.int16)) is None


def no_tracer_and_no_mode_sees_it():
    from torch.overrides import TorchFunctionMode

    class Names(TorchFunctionMode):
        seen = []

        def __torch_function__(self, function, types, args=(), kwargs=None):
            self.seen.append(str(function))
            return function(*args, **(kwargs or {}))

    def events_of(installed):
        losses, model = Losses(print), nn.Linear(2, 2)
        if installed:
            losses.install()
            losses.trains_in(threading.get_ident())
        with Names() as names, torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            Names.seen = []
            model(torch.ones(1, 2)).sum().backward()
        losses.step_ended(Steps(1, 1))
        losses.remove()
        return sorted(event.name for event in profile.events() if event.name.startswith("aten")), list(names.seen), len(losses.rows())

    with_it, without = events_of(True), events_of(False)
    assert with_it[:2] == without[:2] and (with_it[2], without[2]) == (1, 0), (with_it, without)


def what_lies_on_a_device_is_read_at_the_end():
    losses = Losses(print)
    losses._is_known = True
    for number, passes in ((1, [torch.tensor(2.0), torch.tensor(1.0)]), (2, [4.0]), (3, [torch.tensor(float("inf"))]), (4, [None, 1.0])):
        losses._passes = passes  # tensors: as copies on a device; None: one that was left out
        losses.step_ended(None)
    assert losses.rows() == [(1, 3.0, 2), (2, 4.0, 1), (3, None, 1)], losses.rows()


def other_threads_and_other_orders_are_left_out():
    losses = Losses(print)
    losses.install()
    losses.trains_in(threading.get_ident())
    other = threading.Thread(target=torch.ones(1, requires_grad=True).sum().backward)
    other.start()
    other.join()
    losses.step_ended(Steps(5, 2))  # begun in the middle: which call belonged to which step is not known
    for number in 6, 7, 8:
        torch.ones(number, requires_grad=True).sum().backward()
        if number == 7:
            losses.start_over()
        if number == 8:
            losses.forget_passes()
            torch.ones(9, requires_grad=True).sum().backward()
        losses.step_ended(Steps(number, 1))
    losses.remove()
    assert losses.rows() == [(6, 6.0, 1), (8, 9.0, 1)], losses.rows()
    assert not hasattr(torch.autograd.backward, "__wrapped__")
