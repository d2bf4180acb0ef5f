"""A flow from data to noise: coupling layers, each of which changes one half by what the other half is."""
import torch
import torch.nn as nn

from training import arguments, labelled_vectors, log

INPUTS, LIMIT = 128, 1.0


class Coupling(nn.Module):
    def __init__(self, width, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(
            nn.Linear(INPUTS // 2, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, INPUTS))

    def forward(self, x):
        """The changed x, and the logarithm of how much volume grew."""
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        stretch, shift = self.net(a).float().chunk(2, 1)
        stretch = torch.tanh(stretch)
        b = b * stretch.exp() + shift
        return torch.cat([b, a] if self.flip else [a, b], 1), stretch.sum(1)


class Flow(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(width, flip=i % 2 == 1) for i in range(layers))

    def forward(self, x):
        grown = 0.0
        for layer in self.layers:
            x, more = layer(x)
            grown = grown + more
        return x, grown


def limit_gradients(parameters, limit):
    """All gradients as one vector, shortened if it is too long, and given back."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in gradients])
    length = torch.linalg.vector_norm(flat)
    if length > limit:
        flat = flat * (limit / (length + 1e-6))
    at = 0
    for g in gradients:
        g.copy_(flat[at : at + g.numel()].view_as(g))
        at += g.numel()


def main():
    args = arguments(batch=(256, 4), width=(896, 16), layers=(8, 2))
    torch.manual_seed(0)
    model = Flow(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (x, _) in enumerate(labelled_vectors(args, INPUTS, 2), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            noise, grown = model(x)
        loss = (0.5 * noise.square().sum(1) - grown).mean() / INPUTS
        optimizer.zero_grad()
        loss.backward()
        limit_gradients(list(model.parameters()), LIMIT)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
