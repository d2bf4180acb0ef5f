"""A GPT that writes down how its parameters and gradients do."""
import json
import tempfile

import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

STATISTICS_EVERY = 1


def statistics(model):
    rows = {}
    for name, p in model.named_parameters():
        for kind, t in (("weight", p.detach()), ("gradient", p.grad)):
            figures = {"mean": t.mean(), "std": t.std(), "norm": t.norm(), "largest": t.abs().max()}
            rows[f"{name}.{kind}"] = {figure: value.item() for figure, value in figures.items()}
    return rows


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for step, (x, y) in enumerate(text_batches(args), 1):
            loss = next_token_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % STATISTICS_EVERY == 0:
                print(json.dumps({"step": step, **statistics(model)}), file=file, flush=True)


if __name__ == "__main__":
    main()
