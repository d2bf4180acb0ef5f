"""Topics of texts by their letters: convolutions over characters."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, text_batches

CLASSES = 8


class Stage(nn.Module):
    """Two convolutions, and half the length."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = nn.Conv1d(inputs, outputs, 3, padding=1)
        self.second = nn.Conv1d(outputs, outputs, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.first(x))
        return F.max_pool1d(F.relu(self.second(x)), 2)


class CharCNN(nn.Module):
    def __init__(self, letters, width):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.stages = nn.Sequential(Stage(width, width), Stage(width, 2 * width), Stage(2 * width, 2 * width))
        self.head = nn.Linear(2 * width, CLASSES)

    def forward(self, text):
        return self.head(self.stages(self.letters(text).transpose(1, 2)).mean(2))


def main():
    args = arguments(batch=(32, 2), length=(512, 16), width=(64, 8), vocab=(96, 64))
    torch.manual_seed(0)
    model = CharCNN(args.vocab, args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (text, _) in enumerate(text_batches(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(text)
        loss = F.cross_entropy(logits.float(), text[:, 0] % CLASSES)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
