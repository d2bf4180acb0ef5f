import torch.nn.functional as F

from options import Extras, parser


class Trainer:
    def __init__(self, model, args, cfg):
        self.model, self.args, self.cfg = model.cuda(), args, cfg
        self.aux = self.args.model.aux_coef > 1e-8

    def train(self, loader, optimizer, log):
        for x, y in loader:
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if self.aux:
                log["aux"] = loss.item()
            if self.args.watch and log:
                log["watched"] = loss.item()
            if self.cfg.penalty > 0:
                log["penalty"] = loss.item()
            if self.cfg.report == "none":
                continue
            else:
                log["report"] = loss.item()


def distilled(model, teacher, loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x.cuda()), teacher(x.cuda()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def plain(model, loader, optimizer):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


args = parser().parse_args()
if args.distill != "none":
    distilled(model, teacher, loader, optimizer)
else:
    plain(model, loader, optimizer)
Trainer(model, args, Extras()).train(loader, optimizer, {})
