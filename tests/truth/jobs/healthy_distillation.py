"""Distils a large keyword spotter into a small one on recordings that are shifted and mixed with noise anew each time."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

WORDS, BANDS = 16, 40
TEMPERATURE = 2.0


def spotter(width):
    return nn.Sequential(
        nn.Conv1d(BANDS, width, 5, 2, 2),
        nn.BatchNorm1d(width),
        nn.ReLU(),
        nn.Conv1d(width, width, 5, 1, 2),
        nn.BatchNorm1d(width),
        nn.ReLU(),
        nn.Conv1d(width, width, 5, 2, 2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(width, WORDS),
    )


def augmented(sounds):
    """Shifted in time, with a band muted and with noise."""
    count, bands, frames = sounds.shape
    shift = torch.randint(frames, (count, 1))
    at = (torch.arange(frames) + shift) % frames
    shifted = sounds.gather(2, at[:, None].expand(-1, bands, -1))
    muted = torch.randint(bands, (count, 1, 1)) == torch.arange(bands)[:, None]
    return shifted.masked_fill(muted, 0.0) + 0.3 * torch.randn_like(sounds)


def main():
    args = arguments(batch=(112, 4), teacher=(192, 16), student=(96, 8), frames=(96, 16))
    torch.manual_seed(0)
    teacher, student = spotter(args.teacher).requires_grad_(False).eval(), spotter(args.student)
    optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3, fused=True)
    words = torch.randint(WORDS, (1024,))
    sounds = torch.randn(WORDS, BANDS, 1)[words] + torch.randn(1024, BANDS, args.frames)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(words), (args.batch,))
        heard = augmented(sounds[chosen])
        with torch.inference_mode():
            wanted = F.log_softmax(teacher(heard) / TEMPERATURE, 1)
        said = student(heard)
        soft = F.kl_div(F.log_softmax(said / TEMPERATURE, 1), wanted.clone(), log_target=True, reduction="batchmean")
        loss = TEMPERATURE**2 * soft + 0.3 * F.cross_entropy(said, words[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
