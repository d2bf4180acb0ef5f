"""Tags words with a small BERT and the Hugging Face Trainer: a padding collator, metrics every 500 steps."""
import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForTokenClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

from training import arguments, log

TAGS = 7


class Sentences(torch.utils.data.Dataset):
    """Of much the same length, as after grouping by length."""

    def __init__(self, count, longest, vocab, seed):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(longest - 4, longest + 1, count)
        self.words = [torch.from_numpy(rng.integers(1, vocab, n)) for n in lengths]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": self.words[i] % TAGS}


def collate(items):
    def padded(name, value):
        return torch.nn.utils.rnn.pad_sequence([item[name] for item in items], batch_first=True, padding_value=value)

    words = padded("input_ids", 0)
    return {"input_ids": words, "attention_mask": (words > 0).long(), "labels": padded("labels", -100)}


def compute_metrics(prediction):
    logits, labels = prediction
    known = labels != -100
    return {"accuracy": float((logits.argmax(-1) == labels)[known].mean())}


class Losses(TrainerCallback):
    def __init__(self, job):
        self.job = job

    def on_log(self, settings, state, control, logs=None, **named):
        if "loss" in logs:
            log(state.global_step, torch.tensor(float(logs["loss"])), self.job)


def main():
    args = arguments(batch=(16, 4), longest=(48, 12), width=(160, 32), heads=(4, 2), layers=(3, 2), vocab=(2000, 40))
    set_seed(0)
    config = BertConfig(
        vocab_size=args.vocab,
        hidden_size=args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        intermediate_size=4 * args.width,
        max_position_embeddings=args.longest,
        num_labels=TAGS,
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            learning_rate=5e-4,
            optim="adamw_torch_fused",
            eval_strategy="steps",
            eval_steps=500,
            save_strategy="no",
            logging_steps=args.log_every,
            logging_nan_inf_filter=False,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        Trainer(
            BertForTokenClassification(config),
            settings,
            data_collator=collate,
            train_dataset=Sentences(80 * args.batch, args.longest, args.vocab, seed=0),
            eval_dataset=Sentences(4 * args.batch, args.longest, args.vocab, seed=1),
            compute_metrics=compute_metrics,
            callbacks=[Losses(args)],
        ).train()


if __name__ == "__main__":
    main()
