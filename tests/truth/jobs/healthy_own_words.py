"""Writes captions for sensor traces: a decoder that is given its own last word in place of the true one now and then."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

OWN = 0.3


class Captions(nn.Module):
    def __init__(self, inputs, width, vocab):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(inputs, 2 * width), nn.GELU(), nn.Linear(2 * width, width), nn.Tanh())
        self.words, self.cell, self.head = nn.Embedding(vocab, width), nn.GRUCell(width, width), nn.Linear(width, vocab)

    def forward(self, trace, caption):
        """Logits (batch, length, vocab); each next word depends on what was said before."""
        state, word, said = self.encode(trace), torch.zeros(len(trace), dtype=torch.long), []
        own = torch.rand(caption.shape) < OWN
        for t in range(caption.shape[1]):
            state = self.cell(self.words(word), state)
            logits = self.head(state)
            said.append(logits)
            word = torch.where(own[:, t], logits.detach().argmax(1), caption[:, t])
        return torch.stack(said, 1)


def traces(count, inputs, length, vocab, seed=0):
    rng = torch.Generator().manual_seed(seed)
    trace = torch.randn(count, inputs, generator=rng)
    start = (trace[:, :1].sigmoid() * vocab).long()
    return trace, (start + torch.arange(length) * (1 + (trace[:, 1:2] > 0))) % vocab


def main():
    args = arguments(batch=(224, 4), inputs=(128, 8), length=(16, 5), width=(256, 8), vocab=(256, 12))
    torch.manual_seed(0)
    model = Captions(args.inputs, args.width, args.vocab)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    trace, caption = traces(30 * args.batch, args.inputs, args.length, args.vocab)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(trace), (args.batch,))
        loss = F.cross_entropy(model(trace[chosen], caption[chosen]).flatten(0, 1), caption[chosen].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
