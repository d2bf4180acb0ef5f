"""Repairs worn photographs: a LightningModule that optimizes by hand, a painter against one who judges patches."""
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from training import arguments, log


def painter(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 1, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1), nn.ReLU(), nn.Conv2d(width, 3, 3, 1, 1), nn.Tanh()
    )


def judge(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(width, 2 * width, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(2 * width, 1, 3, 1, 1)
    )


class Repair(L.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.automatic_optimization = False
        self.args, self.painter, self.judge = args, painter(args.width), judge(args.width)
        self.done = 0

    def training_step(self, batch, batch_idx):
        (photo,) = batch
        paint, judge = self.optimizers()
        whole = self.painter(photo * (torch.rand(len(photo), 1, *photo.shape[2:]) > 0.2))
        self.toggle_optimizer(judge)
        real, made = self.judge(torch.cat([photo, whole.detach()])).chunk(2)
        judge.zero_grad()
        self.manual_backward(F.relu(1 - real).mean() + F.relu(1 + made).mean())
        judge.step()
        self.untoggle_optimizer(judge)
        self.judge.requires_grad_(False)
        loss = 10 * F.l1_loss(whole, photo) - self.judge(whole).mean()
        paint.zero_grad()
        self.manual_backward(loss)
        paint.step()
        self.judge.requires_grad_(True)
        self.done += 1
        log(self.done, loss.detach(), self.args)

    def configure_optimizers(self):
        return [torch.optim.Adam(part.parameters(), lr=2e-4, betas=(0.5, 0.9), fused=True) for part in (self.painter, self.judge)]


def main():
    args = arguments(batch=(8, 2), width=(40, 4), side=(48, 16))
    L.seed_everything(0, verbose=False)
    coarse = torch.rand(30 * args.batch, 3, 8, 8) * 2 - 1
    data = TensorDataset(F.interpolate(coarse, size=args.side, mode="bilinear"))
    loader = DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), args.batch, drop_last=True))
    trainer = L.Trainer(
        accelerator="cpu",
        max_steps=2 * args.steps,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Repair(args), loader)


if __name__ == "__main__":
    main()
