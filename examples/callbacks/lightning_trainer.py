"""Trainer(callbacks=[GaitCallback()]) records some steps into train.gait: docs/dashboards.md."""
import gait_ml
from lightning.pytorch import Callback


class GaitCallback(Callback):
    def __init__(self, run="train.gait"):
        self.recording = gait_ml.Recording(run)

    def on_train_start(self, trainer, module):
        self.recording.begin()

    def on_train_end(self, trainer, module):
        self.recording.end()
