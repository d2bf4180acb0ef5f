"""Does a question have an answer in a text? A small DistilBERT and the Hugging Face Trainer, two parts to a step."""
import tempfile

import numpy as np
import torch
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

from training import arguments, log


class Questions(torch.utils.data.Dataset):
    """Of much the same length, as after grouping by length."""

    def __init__(self, count, longest, vocab, seed):
        rng = np.random.default_rng(seed)
        self.words = [torch.from_numpy(rng.integers(1, vocab, n)) for n in rng.integers(longest - 3, longest + 1, count)]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": int(self.words[i][:8].sum() % 2)}


def collate(items):
    words = torch.nn.utils.rnn.pad_sequence([item["input_ids"] for item in items], batch_first=True)
    return {"input_ids": words, "attention_mask": (words > 0).long(), "labels": torch.tensor([item["labels"] for item in items])}


class Losses(TrainerCallback):
    def __init__(self, job):
        self.job = job

    def on_log(self, settings, state, control, logs=None, **named):
        if "loss" in logs:
            log(state.global_step, torch.tensor(float(logs["loss"])), self.job)


def main():
    args = arguments(batch=(8, 2), longest=(44, 12), width=(160, 16), heads=(4, 2), layers=(3, 2), vocab=(1500, 40))
    set_seed(0)
    config = DistilBertConfig(
        vocab_size=args.vocab,
        dim=args.width,
        n_layers=args.layers,
        n_heads=args.heads,
        hidden_dim=4 * args.width,
        max_position_embeddings=args.longest,
        num_labels=2,
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            gradient_accumulation_steps=2,
            learning_rate=5e-4,
            lr_scheduler_type="cosine",
            optim="adamw_torch_fused",
            save_strategy="no",
            logging_steps=args.log_every,
            logging_nan_inf_filter=False,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        Trainer(
            DistilBertForSequenceClassification(config),
            settings,
            data_collator=collate,
            train_dataset=Questions(80 * args.batch, args.longest, args.vocab, seed=0),
            callbacks=[Losses(args)],
        ).train()


if __name__ == "__main__":
    main()
