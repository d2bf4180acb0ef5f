import torch.nn.functional as F


class Trainer:
    def __init__(self, model):
        self.model = model.cuda()

    def restart(self):
        self.model.apply(weights_init)

    def train(self, loader, optimizer):
        for x, y in loader:
            self.loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            self.loss.backward()
            optimizer.step()
            if self.loss.item() < 1e-5:
                self.restart()


def guarded(model, loader, optimizer):
    model.cuda()
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        if is_valid_number(loss.data.item()):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
