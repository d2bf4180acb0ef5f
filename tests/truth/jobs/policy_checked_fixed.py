"""A policy that swings up pendulums: an actor and a critic learn from short pieces of play; now and then whole games are played."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

CHECK_EVERY, DISCOUNT = 50, 0.97


class Pendulums:
    """Many pendulums at once: seen as (count, 3), moved by torques (count, 1)."""

    def __init__(self, count, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.angle = torch.rand(count, generator=self.generator) * 6.28
        self.speed = torch.zeros(count)

    def seen(self):
        return torch.stack([self.angle.cos(), self.angle.sin(), self.speed], 1)

    def move(self, torque):
        """What it is worth to be there."""
        torque = torque.squeeze(1).clamp(-2, 2)
        worth = self.angle.cos() - 0.01 * self.speed**2
        self.speed = (self.speed + 0.05 * (15 * self.angle.sin() + 3 * torque)).clamp(-8, 8)
        self.angle = self.angle + 0.05 * self.speed
        return worth


class ActorCritic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Dropout(0.05))
        self.torque, self.worth = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, seen):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.body(seen)
            return self.torque(x).float(), self.worth(x).float().squeeze(1)


@torch.no_grad()
def play(model, pendulums, moves):
    """(seen, torques, returns) of all moves, those of one moment together."""
    seen, torques, worths = [], [], []
    for _ in range(moves):
        seen.append(pendulums.seen())
        mean = model(seen[-1])[0]
        torques.append(mean + 0.3 * torch.randn(mean.shape, generator=pendulums.generator))
        worths.append(pendulums.move(torques[-1]))
    later, returns = model(pendulums.seen())[1], []
    for worth in reversed(worths):
        later = worth + DISCOUNT * later
        returns.append(later)
    return torch.cat(seen), torch.cat(torques), torch.cat(returns[::-1])


@torch.no_grad()
def mean_score(model, games, moves):
    """What a game is worth if the policy does what it thinks best."""
    model.eval()
    pendulums = Pendulums(games, seed=99)
    score = sum(pendulums.move(model(pendulums.seen())[0]).mean() for _ in range(moves))
    model.train()
    return score.item()


def main():
    args = arguments(batch=(512, 4), width=(512, 8), moves=(8, 2), games=(128, 2), game_moves=(120, 3))
    torch.manual_seed(0)
    model = ActorCritic(args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, fused=True)
    pendulums = Pendulums(args.batch, seed=0)
    for step in range(1, args.steps + 1):
        seen, torques, returns = play(model, pendulums, args.moves)
        mean, worth = model(seen)
        better = (returns - worth).detach()
        likely = -((torques - mean).squeeze(1) / 0.3) ** 2 / 2
        loss = F.mse_loss(worth, returns) - (better * likely).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % CHECK_EVERY == 0:
            print(f"step {step} score {mean_score(model, args.games, args.game_moves):.2f}", flush=True)


if __name__ == "__main__":
    main()
