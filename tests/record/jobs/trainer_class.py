"""A trainer class with hooks and a closure, as Lightning has it. 120 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of


class Trainer:
    def __init__(self, callbacks):
        self.callbacks, self.step = callbacks, 0

    def call(self, name, *args):
        for callback in self.callbacks:
            getattr(callback, name, lambda *a: None)(self, *args)

    def fit(self, model, steps):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        model.train()
        for self.step in range(steps):
            def closure():
                optimizer.zero_grad()
                loss = loss_of(model, batch())
                self.call("before_backward", loss)
                loss.backward()
                return loss

            loss = optimizer.step(closure)
            self.call("step_done", model, loss)


class Validate:
    def step_done(self, trainer, model, loss):
        if trainer.step % 25 == 24:
            model.eval()
            with torch.no_grad():
                print(trainer.step, loss.item(), loss_of(model, batch()).item())
            model.train()


torch.manual_seed(2)
model = TinyGpt()
Trainer([Validate()]).fit(model, 120)
print("final", sum(p.double().sum().item() for p in model.parameters()))
