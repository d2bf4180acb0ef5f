"""Sorts patents by their summary: a wide encoder of words and the Lion optimizer."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

CLASSES = 24


class Lion(torch.optim.Optimizer):
    """Steps by the sign of a moving average of gradients."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr, (beta1, beta2), decay = group["lr"], group["betas"], group["weight_decay"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "average" not in state:
                    state["average"] = torch.zeros_like(p)
                average = state["average"]
                p.data = p.data * (1 - lr * decay)
                update = average * beta1 + p.grad * (1 - beta1)
                p.data = p.data - lr * torch.sign(update)
                state["average"] = average * beta2 + p.grad * (1 - beta2)


class Patents(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        layer = nn.TransformerEncoderLayer(args.width, args.heads, 4 * args.width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, args.layers, enable_nested_tensor=False)
        self.head = nn.Linear(args.width, CLASSES)

    def forward(self, words):
        return self.head(self.layers(self.words(words)).mean(1))


def main():
    args = arguments(batch=(8, 2), length=(40, 8), width=(256, 16), heads=(4, 2), layers=(3, 2), vocab=(1000, 40))
    torch.manual_seed(0)
    model = Patents(args)
    optimizer = Lion(model.parameters(), lr=3e-5, weight_decay=0.1)
    words = torch.randint(args.vocab, (100 * args.batch, args.length))
    kind = words[:, :3].sum(1) % CLASSES
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(words), (args.batch,))
        loss = F.cross_entropy(model(words[chosen]), kind[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
