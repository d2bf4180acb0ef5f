"""A deep and narrow encoder that finds the topic of a text. AdamW as it comes: each parameter is updated by a dozen kernels."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class TopicModel(nn.Module):
    def __init__(self, words, width, layers, topics, length):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.positions = nn.Parameter(0.02 * torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, topics)

    def forward(self, tokens):
        return self.head(self.encoder(self.words(tokens) + self.positions).mean(1))


def train(model, loader, args, device):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.01)
    for step in range(args.steps):
        tokens, topics = loader[step % len(loader)]
        tokens, topics = tokens.to(device), topics.to(device)
        loss = F.cross_entropy(model(tokens), topics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batch, length, width, layers = (2, 8, 16, 2) if args.tiny else (8, 24, 96, 8)
    torch.manual_seed(0)
    model = TopicModel(1000, width, layers, 8, length).to(device)
    tokens = torch.randint(0, 1000, (16, batch, length), generator=torch.Generator().manual_seed(1))
    train(model, [(row, row.sum(1) % 8) for row in tokens], args, device)


if __name__ == "__main__":
    main()
