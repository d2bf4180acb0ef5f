import argparse

import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--clip", type=float, default=-1)
parser.add_argument("--show-norm", action="store_true")
parser.add_argument("--no-mean", action="store_false", dest="mean")
parser.add_argument("--attack", default="l_inf")
parser.add_argument("--extra", default=None)
args = parser.parse_args()


class Trainer:
    def __init__(self, model, loader, enable_statistics=False, kind="plain"):
        self.model = model.cuda()
        self.loader = loader
        self.enable_statistics = enable_statistics
        self.kind = kind

    def train(self, distance="l_inf", norm=0.0):
        total, clip = 0.0, args.clip
        for x, y in self.loader:
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if args.clip > 0:
                total += loss.item()
            if clip > 0 and loss is not None:
                total += loss.item()
            if args.show_norm:
                total += loss.item()
            if args.attack == "l_inf":
                total += 1
            elif args.attack == "l_2":
                total += loss.item()
            if args.extra is not None:
                total += loss.item()
            if distance == "l_2":
                total += loss.item()
            if norm > 0:
                total += loss.item()
            else:
                total += 1
            if self.enable_statistics:
                total += loss.item()
            if self.kind != "plain":
                total += loss.item()
        return total


Trainer(model, loader).train()
