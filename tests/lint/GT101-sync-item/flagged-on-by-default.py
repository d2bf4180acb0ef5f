import argparse

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--clip", type=float, default=1.0)
parser.add_argument("--do_train", action="store_true")
parser.add_argument("--set-later", action="store_true")
parser.add_argument("--gpu", default=None)
args = parser.parse_args()
args.set_later = True


class Trainer:
    def __init__(self, model, loader, statistics=False):
        self.model = model.cuda()
        self.loader = loader
        self.statistics = statistics

    def fit(self, distance="l_inf"):
        total = 0.0
        for x, y in self.loader:
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if args.clip > 0:
                total += loss.item()  # expect
            if args.gpu is not None:
                total += loss.item()  # expect
            if args.set_later:
                total += loss.item()  # expect
            if distance == "l_2":
                total += loss.item()  # expect
            if self.statistics:
                total += loss.item()  # expect
        return total


if args.do_train:
    Trainer(model, loader, statistics=True).fit("l_2")
