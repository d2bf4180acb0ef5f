"""Captions in three files. The sum of an epoch's losses keeps the graph of each of its steps."""
import argparse

import torch
import torch.nn.functional as F

from data import make_batches
from model import Captioner


def run_epoch(model, optimizer, pictures, captions):
    running_loss = 0.0
    for picture, caption in zip(pictures, captions):
        logits = model(picture, caption[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), caption[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running_loss += loss
    return running_loss / len(pictures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, length, width, words = (2, 6, 16, 32) if args.tiny else (16, 16, 128, 800)
    torch.manual_seed(0)
    model = Captioner(64, width, words)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pictures, captions = make_batches(40, batch, length, words, 64)
    for epoch in range(-(-args.steps // 40)):
        left = args.steps - epoch * 40
        loss = run_epoch(model, optimizer, pictures[:left], captions[:left])
        print(f"epoch {epoch} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
