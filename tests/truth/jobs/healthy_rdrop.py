"""Judges sentence pairs with R-Drop: two passes whose dropout differs have to agree."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import TextDataset, arguments, log

CLASSES, AGREE = 3, 0.5


class Judge(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        layer = nn.TransformerEncoderLayer(args.width, args.heads, 2 * args.width, dropout=0.1, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, args.layers, enable_nested_tensor=False)
        self.head = nn.Linear(args.width, CLASSES)

    def forward(self, tokens):
        return self.head(self.encoder(self.tokens(tokens) + self.places)[:, 0])


def main():
    args = arguments(batch=(8, 2), length=(40, 12), width=(160, 16), heads=(4, 2), layers=(3, 2))
    torch.manual_seed(0)
    model = Judge(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    data = TextDataset(args)
    tokens = torch.stack([data[i][0] for i in range(32 * args.batch)])
    labels = tokens.sum(1) % CLASSES
    seen = 0.0
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(tokens), (args.batch,))
        one = model(tokens[chosen])
        other = model(tokens[chosen])
        p, q = one.log_softmax(1), other.log_softmax(1)
        differ = F.kl_div(p, q, log_target=True, reduction="batchmean") + F.kl_div(q, p, log_target=True, reduction="batchmean")
        loss = F.nll_loss(p, labels[chosen]) + F.nll_loss(q, labels[chosen]) + AGREE * differ
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen = seen + loss.detach()
        if step % 100 == 0:
            print(f"mean of the last hundred {seen.item() / 100:.4f}", flush=True)
            seen = 0.0
        log(step, loss, args)


if __name__ == "__main__":
    main()
