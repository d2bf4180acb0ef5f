"""PyTorch's own encoder layers; the class of a row."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, text_batches


class Encoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        layer = nn.TransformerEncoderLayer(
            args.width, args.heads, 4 * args.width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, args.layers, enable_nested_tensor=False)
        self.head = nn.Linear(args.width, 16)

    def forward(self, tokens):
        return self.head(self.layers(self.tokens(tokens)).mean(1))


def main():
    args = arguments()
    torch.manual_seed(0)
    model = Encoder(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = F.cross_entropy(model(x), y[:, -1] % 16)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
