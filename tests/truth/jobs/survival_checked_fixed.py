"""How long patients stay well: a network in place of the linear part of a Cox model, checked by how many pairs it puts in order."""
import torch
import torch.nn as nn

from training import arguments, log

MEASURES = 48
CHECK_EVERY = 50


class Risk(nn.Module):
    """The logarithm of the hazard (patients,)."""

    def __init__(self, width, layers):
        super().__init__()
        sizes = [MEASURES] + [width] * layers
        self.layers = nn.ModuleList(map(nn.Linear, sizes, sizes[1:]))
        self.drop, self.risk = nn.Dropout(0.1), nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = self.drop(layer(x).relu())
        return self.risk(x).squeeze(1)


class Patients:
    """What was measured, for how long they were seen, and whether it ended with an event; the longest seen come first."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        measured = torch.randn(count, MEASURES, generator=generator)
        hazard = measured[:, :6].sum(1) + measured[:, 6] * measured[:, 7]
        seen = torch.empty(count).exponential_(generator=generator) / hazard.mul(0.5).exp()
        order = seen.argsort(descending=True)
        event = torch.rand(count, generator=generator) < 0.7
        self.measured, self.seen, self.event = measured[order], seen[order], event[order]

    def every(self, stride, first):
        """A part of them, still in order."""
        return self.measured[first::stride], self.event[first::stride]


def partial_likelihood(risk, event):
    """Cox: an event is likely if its risk stands out of those that were still well."""
    at_risk = risk.logcumsumexp(0)
    return ((at_risk - risk) * event).sum() / event.sum()


@torch.inference_mode()
def concordance(model, patients):
    """Pairs in the right order over all pairs of which the order is known."""
    model.eval()
    risk = model(patients.measured)
    model.train()
    known = (patients.seen[:, None] < patients.seen) & patients.event[:, None]
    right = (risk[:, None] > risk) & known
    return right.sum().item() / known.sum().item()


def main():
    args = arguments(batch=(2560, 8), width=(512, 8), layers=(3, 2), held_out=(3000, 12))
    torch.manual_seed(0)
    model = Risk(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    train, held_out = Patients(8 * args.batch, seed=0), Patients(args.held_out, seed=1)
    for step in range(1, args.steps + 1):
        measured, event = train.every(8, first=step % 8)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            risk = model(measured)
        loss = partial_likelihood(risk.float(), event)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % CHECK_EVERY == 0:
            print(f"after {step} steps {concordance(model, held_out):.4f} of the pairs in order", flush=True)


if __name__ == "__main__":
    main()
