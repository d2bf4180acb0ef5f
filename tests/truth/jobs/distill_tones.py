"""Distils a wide network that names bird calls into a narrow one: soft labels and hints between the layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

CALLS = 20
TEMPERATURE, SOFT, HINT = 4.0, 0.7, 0.0


class Network(nn.Module):
    """Three stages of convolutions over a spectrogram; gives the stages too."""

    def __init__(self, width):
        super().__init__()
        sizes = [1, width, 2 * width, 4 * width]
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.GroupNorm(4, o), nn.ReLU(), nn.Conv2d(o, o, 3, 1, 1), nn.ReLU())
            for i, o in zip(sizes, sizes[1:])
        )
        self.head = nn.Linear(4 * width, CALLS)

    def forward(self, x):
        features = []
        for stage in self.stages:
            x = stage(x)
            features.append(x)
        return self.head(x.mean((2, 3))), features


class Hints(nn.Module):
    """What the student's stages would say in the teacher's terms."""

    def __init__(self, student, teacher):
        super().__init__()
        self.translate = nn.ModuleList(nn.Conv2d(student * k, teacher * k, 1) for k in (1, 2, 4))

    def forward(self, student, teacher):
        return sum(F.mse_loss(F.normalize(t(s), dim=1), F.normalize(x, dim=1)) for t, s, x in zip(self.translate, student, teacher))


def distillation(student, teacher):
    soft = F.kl_div(F.log_softmax(student / TEMPERATURE, 1), F.log_softmax(teacher / TEMPERATURE, 1), log_target=True, reduction="batchmean")
    return TEMPERATURE**2 * soft


def calls(batch, side, patterns):
    """New recordings: a call somewhere in the noise."""
    label = torch.randint(CALLS, (batch,))
    return patterns[label] + 0.7 * torch.randn(batch, 1, side, side), label


def main():
    args = arguments(batch=(24, 4), student=(24, 4), teacher=(32, 8), side=(64, 16))
    torch.manual_seed(0)
    patterns = F.interpolate(torch.randn(CALLS, 1, 8, 8), size=args.side)
    teacher = Network(args.teacher).requires_grad_(False).eval()
    student, hints = Network(args.student), Hints(args.student, args.teacher)
    optimizer = torch.optim.AdamW([*student.parameters(), *hints.parameters()], lr=1e-3, weight_decay=0.0, fused=True)
    for step in range(1, args.steps + 1):
        sound, label = calls(args.batch, args.side, patterns)
        with torch.no_grad():
            wanted, inside = teacher(sound)
        said, layers = student(sound)
        loss = SOFT * distillation(said, wanted) + (1 - SOFT) * F.cross_entropy(said, label)
        loss = loss + HINT * hints(layers, inside)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
