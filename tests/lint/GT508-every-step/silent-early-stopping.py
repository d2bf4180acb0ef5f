import torch


class EarlyStopping:
    def step(self, score, model):
        if self.best is None or score > self.best:
            self.best = score
            torch.save(model.state_dict(), "best.pt")


stopper = EarlyStopping()
for epoch in range(200):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    stopper.step(score(model), model)
