"""Two towers that put the next track near the playlist it continues, by the cosine of unit vectors."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

TEMPERATURE = 0.07


class Towers(nn.Module):
    def __init__(self, tracks, width, hidden):
        super().__init__()
        self.tracks = nn.Embedding(tracks, width)
        self.playlist = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.track = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, history, following):
        listener = self.playlist(F.normalize(self.tracks(history), dim=2).mean(1))
        offered = self.track(F.normalize(self.tracks(following), dim=1))
        return F.normalize(listener, dim=1) @ F.normalize(offered, dim=1).T / TEMPERATURE


def playlists(count, length, tracks, seed=0):
    """Tracks of one genre follow each other."""
    rng = torch.Generator().manual_seed(seed)
    genre = torch.randint(tracks // 50, (count, 1), generator=rng)
    return genre * 50 + torch.randint(50, (count, length + 1), generator=rng)


def main():
    args = arguments(batch=(1792, 8), tracks=(50_000, 200), width=(64, 8), hidden=(384, 16), length=(10, 3))
    torch.manual_seed(0)
    model = Towers(args.tracks, args.width, args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    data = playlists(50 * args.batch, args.length, args.tracks)
    right = torch.arange(args.batch)
    for step in range(1, args.steps + 1):
        chosen = data[torch.randint(len(data), (args.batch,))]
        loss = F.cross_entropy(model(chosen[:, :-1], chosen[:, -1]), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
