"""Names the tissue on slides, as a LightningModule that tells how well it knows each kind."""
import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from training import arguments, log

KINDS = 20


class Tissue(L.LightningModule):
    def __init__(self, args):
        super().__init__()
        self.args, w = args, args.width
        self.body = nn.Sequential(
            nn.Conv2d(3, w, 3, 2, 1),
            nn.BatchNorm2d(w),
            nn.ReLU(),
            nn.Conv2d(w, 2 * w, 3, 2, 1),
            nn.BatchNorm2d(2 * w),
            nn.ReLU(),
            nn.Conv2d(2 * w, 4 * w, 3, 2, 1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.head = nn.Linear(4 * w, KINDS)

    def training_step(self, batch, batch_idx):
        image, kind = batch
        logits = self.head(self.body(image))
        loss = F.cross_entropy(logits, kind)
        right = (logits.detach().argmax(1) == kind).float()
        for k in range(KINDS):
            of_kind = kind == k
            if of_kind.any():
                self.log(f"train/right_{k}", right[of_kind].mean(), on_step=False, on_epoch=True, batch_size=int(of_kind.sum()))
        log(self.global_step + 1, loss.detach(), self.args)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3, fused=True)


class Report(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        right = sorted((float(value), name) for name, value in trainer.callback_metrics.items())
        print(f"epoch {trainer.current_epoch}: worst {right[:3]}", flush=True)


def slides(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    kind = torch.randint(KINDS, (count,), generator=rng)
    grain = F.interpolate(torch.randn(KINDS, 3, 12, 12, generator=rng), size=side)
    return TensorDataset(grain[kind] + torch.randn(count, 3, side, side, generator=rng), kind)


def main():
    args = arguments(batch=(48, 4), width=(36, 4), side=(56, 16), epoch=(60, 12))
    L.seed_everything(0, verbose=False)
    data = slides(args.epoch * args.batch, args.side)
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
    trainer.fit(Tissue(args), loader)


if __name__ == "__main__":
    main()
