"""A variational autoencoder; the last three snapshots of it are kept."""
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_vectors, log

INPUTS = 784
SNAPSHOT_EVERY = 6


class VAE(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(INPUTS, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2 * code))
        self.decoder = nn.Sequential(
            nn.Linear(code, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, INPUTS))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, 1)
        code = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        return self.decoder(code), mean.float(), log_variance.float()


class Snapshots:
    """Files of the model and the optimizer, the newest three."""

    def __init__(self, folder, keep=3):
        self.folder, self.keep, self.written = folder, keep, []

    def write(self, step, **parts):
        paths = []
        for name, part in parts.items():
            paths.append(os.path.join(self.folder, f"{name}-{step:06}.pth"))
            torch.save(part.state_dict(), paths[-1])
        self.written.append(paths)
        if len(self.written) > self.keep:
            for path in self.written.pop(0):
                os.remove(path)


def main():
    args = arguments(batch=(2560, 4), width=(768, 16), code=(32, 4))
    torch.manual_seed(0)
    model = VAE(args.width, args.code)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    with tempfile.TemporaryDirectory() as folder:
        snapshots = Snapshots(folder)
        for step, (x, _) in enumerate(labelled_vectors(args, INPUTS, 2), 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                guess, mean, log_variance = model(x)
            divergence = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean()
            loss = F.mse_loss(guess.float(), x) + 1e-3 * divergence
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % SNAPSHOT_EVERY == 0:
                snapshots.write(step, model=model, optimizer=optimizer)


if __name__ == "__main__":
    main()
