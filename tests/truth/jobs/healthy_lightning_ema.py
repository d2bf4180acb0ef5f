"""A convolutional classifier of leaves as a LightningModule, with averaged weights kept by a callback."""
import copy

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from training import arguments, log

LEAVES = 12


class Leaves(L.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.args, w = args, args.width
        self.body = nn.Sequential(
            nn.Conv2d(3, w, 3, 2, 1),
            nn.GroupNorm(4, w),
            nn.SiLU(),
            nn.Conv2d(w, 2 * w, 3, 2, 1),
            nn.GroupNorm(4, 2 * w),
            nn.SiLU(),
            nn.Conv2d(2 * w, 4 * w, 3, 2, 1),
            nn.SiLU(),
        )
        self.head = nn.Linear(4 * w, LEAVES)

    def training_step(self, batch, batch_idx):
        image, leaf = batch
        share = torch.rand(())
        other = torch.randperm(len(image))
        logits = self.head(self.body(torch.lerp(image[other], image, share)).mean((2, 3)))
        loss = share * F.cross_entropy(logits, leaf) + (1 - share) * F.cross_entropy(logits, leaf[other])
        log(self.global_step + 1, loss.detach(), self.args)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3, fused=True)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1000)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class Averaged(L.Callback):
    def __init__(self, decay=0.999):
        self.decay = decay

    def on_fit_start(self, trainer, module):
        self.live = list(module.parameters())
        self.slow = [p.detach().clone() for p in self.live]

    @torch.no_grad()
    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        torch._foreach_lerp_(self.slow, self.live, 1 - self.decay)

    @torch.no_grad()
    def on_fit_end(self, trainer, module):
        self.model = copy.deepcopy(module.body)
        for p, average in zip([*self.model.parameters()], self.slow):
            p.copy_(average)


def pictures(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    leaf = torch.randint(LEAVES, (count,), generator=rng)
    pattern = F.interpolate(torch.randn(LEAVES, 3, 8, 8, generator=rng), size=side)
    return TensorDataset(pattern[leaf] + torch.randn(count, 3, side, side, generator=rng), leaf)


def main():
    args = arguments(batch=(40, 4), width=(40, 4), side=(64, 16))
    L.seed_everything(0, verbose=False)
    data = pictures(40 * args.batch, args.side)
    loader = DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), args.batch, drop_last=True))
    trainer = L.Trainer(
        accelerator="cpu",
        max_steps=args.steps,
        callbacks=[Averaged()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Leaves(args), loader)


if __name__ == "__main__":
    main()
