"""Lightning's Trainer, which takes the example's callback where a run is named. 140 steps. Exit code 77 where it is absent."""
import logging
import sys
import warnings

import torch

try:
    import lightning.pytorch as pl
except ImportError as e:
    print("lightning is not here:", e)
    sys.exit(77)
warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
        self.last = None

    def training_step(self, batch, index):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.layers(x), y)
        self.last = loss.detach()
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


callbacks = []
if sys.argv[1:]:
    from lightning_trainer import GaitCallback

    callbacks = [GaitCallback(sys.argv[1])]
torch.manual_seed(10)
x = torch.randn(1120, 32)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8)
model = Model()
trainer = pl.Trainer(max_steps=140, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                     enable_model_summary=False, callbacks=callbacks)
trainer.fit(model, loader)
print("final", model.last.item())
