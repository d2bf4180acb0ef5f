"""Trainer(…, callbacks=[GaitCallback()]) records some steps into train.gait: docs/dashboards.md."""
import gait_ml
from transformers import TrainerCallback


class GaitCallback(TrainerCallback):
    def __init__(self, run="train.gait"):
        self.recording = gait_ml.Recording(run)

    def on_train_begin(self, *args, **kwargs):
        self.recording.begin()

    def on_train_end(self, *args, **kwargs):
        self.recording.end()
