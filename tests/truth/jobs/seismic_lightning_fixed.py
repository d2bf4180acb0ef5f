"""Picks the arrivals of P and S waves in three-component seismograms, as a LightningModule."""
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from training import arguments, log


class Block(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.filter = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation)

    def forward(self, x):
        return x + F.silu(self.filter(self.norm(x)))


class Picker(L.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.stem = nn.Conv1d(3, args.width, 7, stride=4, padding=3)
        self.blocks = nn.Sequential(*[Block(args.width, 2 ** (i % 6)) for i in range(args.layers)])
        self.head = nn.Conv1d(args.width, 3, 1)

    def forward(self, wave):
        return self.head(self.blocks(self.stem(wave)))

    def training_step(self, batch, batch_idx):
        wave, phase = batch
        loss = F.cross_entropy(self(wave), phase)
        log(self.global_step + 1, loss.detach(), self.args)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3, fused=True)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=self.args.steps + 1)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


class StopOnPlateau(L.Callback):
    """Ends training when an epoch is no better than the one ten before it."""

    def __init__(self):
        self.total, self.count, self.epochs = 0.0, 0, []

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.total, self.count = self.total + outputs["loss"], self.count + 1

    def on_train_epoch_end(self, trainer, module):
        self.epochs.append(float(self.total) / self.count)
        self.total, self.count = 0.0, 0
        if len(self.epochs) > 20 and self.epochs[-1] > 1.5 * self.epochs[-11]:
            trainer.should_stop = True


def seismograms(count, samples, seed=0):
    """Noise, with a burst that starts at P and a slower, larger one at S; a label for every fourth sample."""
    generator = torch.Generator().manual_seed(seed)
    time = torch.arange(samples)
    p = torch.randint(samples // 8, samples // 2, (count, 1), generator=generator)
    s = p + torch.randint(samples // 8, samples // 3, (count, 1), generator=generator)
    wave = 0.3 * torch.randn(count, 3, samples, generator=generator)
    wave[:, 0] += (time >= p) * torch.sin(0.9 * (time - p))
    wave[:, 1:] += ((time >= s) * 2 * torch.sin(0.4 * (time - s)))[:, None]
    phase = (time >= p).long() + (time >= s).long()
    return TensorDataset(wave, phase[:, ::4])


def main():
    args = arguments(batch=(18, 2), width=(112, 8), layers=(4, 3), samples=(1024, 64))
    L.seed_everything(0, verbose=False)
    data = seismograms(20 * args.batch, args.samples)
    loader = DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), args.batch, drop_last=True))
    trainer = L.Trainer(
        accelerator="cpu",
        max_steps=args.steps,
        gradient_clip_val=1.0,
        callbacks=[StopOnPlateau()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Picker(args), loader)


if __name__ == "__main__":
    main()
