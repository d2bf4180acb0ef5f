import lightning as L
import torch


class Classifier(L.LightningModule):
    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return {"loss": loss, "name": f"step {batch_idx}"}
