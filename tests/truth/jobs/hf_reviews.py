"""Rates reviews from one to five stars with a small BERT and the Hugging Face Trainer."""
import random
import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

from training import arguments, log

STARS = 5


class Reviews(torch.utils.data.Dataset):
    """Token lists of different length; the words of a review lean towards its rating."""

    def __init__(self, count, longest, vocab, seed):
        rng = random.Random(seed)
        self.items = []
        for _ in range(count):
            stars, length = rng.randrange(STARS), rng.randint(longest // 2, longest)
            tokens = [rng.randrange(2, vocab) if rng.random() < 0.8 else 2 + stars for _ in range(length)]
            self.items.append({"input_ids": tokens, "labels": stars})

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(items):
    longest = max(len(item["input_ids"]) for item in items)
    ids = np.zeros((len(items), longest), dtype=np.int64)
    mask = np.zeros((len(items), longest), dtype=np.int64)
    for row, item in enumerate(items):
        ids[row, : len(item["input_ids"])] = item["input_ids"]
        mask[row, : len(item["input_ids"])] = 1
    return {
        "input_ids": torch.from_numpy(ids),
        "attention_mask": torch.from_numpy(mask),
        "labels": torch.tensor([item["labels"] for item in items]),
    }


def compute_metrics(prediction):
    logits, labels = prediction
    stars = logits.argmax(-1)
    return {"accuracy": float((stars == labels).mean()), "off_by": float(np.abs(stars - labels).mean())}


class ReviewTrainer(Trainer):
    def __init__(self, *positional, job, **named):
        super().__init__(*positional, **named)
        self.job = job

    def compute_loss(self, model, inputs, return_outputs=False, **named):
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, **named)
        if model.training:
            log(self.state.global_step + 1, loss.detach(), self.job)
        return (loss, outputs) if return_outputs else loss


def main():
    args = arguments(batch=(12, 4), longest=(48, 12), width=(192, 32), heads=(4, 2), layers=(3, 2), vocab=(1000, 40))
    set_seed(0)
    config = BertConfig(
        vocab_size=args.vocab,
        hidden_size=args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        intermediate_size=4 * args.width,
        max_position_embeddings=args.longest,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=STARS,
    )
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            per_device_eval_batch_size=2 * args.batch,
            learning_rate=3e-4,
            warmup_steps=10,
            optim="adamw_torch_fused",
            gradient_checkpointing=True,
            eval_strategy="steps",
            eval_steps=500,
            save_strategy="no",
            logging_steps=500,
            logging_nan_inf_filter=False,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        ReviewTrainer(
            model,
            settings,
            job=args,
            data_collator=collate,
            train_dataset=Reviews(60 * args.batch, args.longest, args.vocab, seed=0),
            eval_dataset=Reviews(4 * args.batch, args.longest, args.vocab, seed=1),
            compute_metrics=compute_metrics,
        ).train()


if __name__ == "__main__":
    main()
