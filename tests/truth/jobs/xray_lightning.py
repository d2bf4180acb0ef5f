"""Finds fourteen kinds of lesion in small X-ray pictures; a LightningModule with torchmetrics."""
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset
from torchmetrics import MetricCollection
from torchmetrics.classification import MultilabelAUROC, MultilabelAveragePrecision

from training import arguments, log

FINDINGS = 14


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)])
        self.skip = nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x):
        h = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(h)) + self.skip(x))


class Radiologist(L.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.args, w = args, args.width
        self.body = nn.Sequential(Residual(1, w, 2), Residual(w, 2 * w, 2), Residual(2 * w, 4 * w, 2))
        self.head = nn.Linear(4 * w, FINDINGS)
        self.train_metrics = MetricCollection(
            {"auroc": MultilabelAUROC(FINDINGS), "precision": MultilabelAveragePrecision(FINDINGS)}, prefix="train_"
        )

    def forward(self, image):
        return self.head(self.body(image).mean((2, 3)))

    def training_step(self, batch, batch_idx):
        image, found = batch
        logits = self(image)
        loss = F.binary_cross_entropy_with_logits(logits, found.float())
        self.train_metrics(logits.detach().sigmoid(), found)
        self.log_dict(self.train_metrics, on_step=False, on_epoch=True)
        log(self.global_step + 1, loss.detach(), self.args)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=5e-4, fused=True)


class Report(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        values = {name: f"{value:.3f}" for name, value in trainer.callback_metrics.items()}
        print(f"epoch {trainer.current_epoch}", values, flush=True)


def pictures(count, side, seed=0):
    """Smooth noise; each finding is a fixed faint pattern laid over it."""
    generator = torch.Generator().manual_seed(seed)
    found = torch.rand(count, FINDINGS, generator=generator) < 0.15
    patterns = F.interpolate(torch.randn(FINDINGS, 1, 8, 8, generator=generator), side)[:, 0]
    image = torch.randn(count, side, side, generator=generator)
    image += torch.einsum("nf,fhw->nhw", found.float(), patterns)
    return TensorDataset(image[:, None], found.long())


def main():
    args = arguments(batch=(32, 4), width=(20, 4), side=(64, 16), epoch=(100, 20))
    L.seed_everything(0, verbose=False)
    data = pictures(args.epoch * args.batch, args.side)
    loader = DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), args.batch, drop_last=True))
    trainer = L.Trainer(
        accelerator="cpu",
        max_steps=args.steps,
        callbacks=[Report()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Radiologist(args), loader)


if __name__ == "__main__":
    main()
