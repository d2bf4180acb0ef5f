"""A denoiser in three files. Its optimizer is Adam as it comes: large parameters are read and written a dozen times."""
import argparse

import torch

from engine import make_optimizer, train_one_epoch
from network import Denoiser


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    batch, patches, inputs, width, layers = (2, 4, 8, 16, 2) if args.tiny else (8, 8, 48, 320, 4)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    samples = torch.tanh(torch.randn(20, batch, patches, inputs, generator=generator).cumsum(3) / 4)
    model = Denoiser(inputs, width, layers).to(device)
    optimizer = make_optimizer(model, lr=1e-4)
    for epoch in range(-(-args.steps // 20)):
        loss = train_one_epoch(model, optimizer, samples[: args.steps - epoch * 20], generator, device)
        print(f"epoch {epoch} loss {loss:.6f}", flush=True)


if __name__ == "__main__":
    main()
