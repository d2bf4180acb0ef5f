"""A GPT that keeps histograms of its weights."""
import csv
import tempfile

import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

HISTOGRAM_EVERY = 10


@torch.no_grad()
def write_histograms(writer, step, model):
    for name, weights in model.named_parameters():
        if weights.numel() >= 100_000:
            counts, edges = torch.histogram(weights.flatten(), bins=64)
            writer.writerow([step, name, *(int(c) for c in counts), *(f"{e:.5f}" for e in edges.tolist())])


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        writer = csv.writer(file)
        for step, (x, y) in enumerate(text_batches(args), 1):
            loss = next_token_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % HISTOGRAM_EVERY == 0:
                write_histograms(writer, step, model)


if __name__ == "__main__":
    main()
