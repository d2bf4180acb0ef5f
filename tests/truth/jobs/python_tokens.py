"""A GPT whose loss weighs a token less that its row had shortly before."""
import torch
import torch.nn.functional as F

from models import GPT
from training import arguments, log, text_batches

LOOK_BACK = 256


def novelty(tokens):
    """(batch, length): 1 where a token is new within LOOK_BACK, else 0.5."""
    rows = []
    for row in tokens.tolist():
        weights = []
        for i, token in enumerate(row):
            seen = False
            for j in range(max(0, i - LOOK_BACK), i):
                if row[j] == token:
                    seen = True
            weights.append(0.5 if seen else 1.0)
        rows.append(weights)
    return torch.tensor(rows)


def main():
    args = arguments(batch=(4, 2), length=(256, 16))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        losses = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="none")
        loss = (losses * novelty(y).flatten()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
