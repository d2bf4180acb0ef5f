"""Two processes learn to continue subtitles; parts differ in length, and every word shall count the same."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import TextDataset, arguments, log

IGNORED = -100


class Subtitles(nn.Module):
    def __init__(self, vocab, width, layers):
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, 2 * width, 3, dilation=2**i) for i in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.head = nn.Linear(width, vocab)

    def forward(self, words):
        x = self.words(words)
        for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            h = F.pad(norm(x).transpose(1, 2), (2 * 2**i, 0))
            x = x + F.glu(conv(h), 1).transpose(1, 2)
        return self.head(x)


def main():
    args = arguments(batch=(12, 2), length=(64, 12), width=(128, 8), layers=(4, 2), vocab=(512, 40))
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(Subtitles(args.vocab, args.width, args.layers), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    data = TextDataset(args, seed=rank)
    rows = [torch.stack(column) for column in zip(*(data[i] for i in range(30 * args.batch)))]
    rng = torch.Generator().manual_seed(rank)
    for step in range(1, args.steps + 1):
        words, targets = (column[step % 30 * args.batch : (step % 30 + 1) * args.batch] for column in rows)
        end = torch.randint(args.length - 6, args.length + 1, (args.batch, 1), generator=rng)
        targets = targets.masked_fill(torch.arange(args.length) >= end, IGNORED)
        count = (targets != IGNORED).sum()
        waiting = dist.all_reduce(count, async_op=True)
        logits = model(words)
        total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum")
        waiting.wait()
        loss = total * world / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss.detach(), args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
