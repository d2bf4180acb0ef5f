"""Pre-trains a small RoBERTa on masked words with the Hugging Face Trainer and a collator of its own."""
import tempfile

import numpy as np
import torch
from transformers import RobertaConfig, RobertaForMaskedLM, Trainer, TrainerCallback, TrainingArguments, set_seed

from training import arguments, log

PAD, MASK, FIRST = 1, 2, 3
SHARE = 0.15


class Sentences(torch.utils.data.Dataset):
    """Rows of tokens, each near a function of the one before it."""

    def __init__(self, count, length, vocab, seed=0):
        rng = np.random.default_rng(seed)
        steps = rng.integers(0, 4, (count, length))
        self.rows = torch.from_numpy(FIRST + (steps.cumsum(1) * 7 + steps) % (vocab - FIRST))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"input_ids": self.rows[i]}


class Masker:
    """Hides some of the words: eight of ten behind the mask, one behind another word, one stays to be seen."""

    def __init__(self, vocab, seed=0):
        self.vocab, self.generator = vocab, torch.Generator().manual_seed(seed)

    def __call__(self, items):
        ids = torch.stack([item["input_ids"] for item in items])
        chance = torch.rand(ids.shape, generator=self.generator)
        other = torch.randint(FIRST, self.vocab, ids.shape, generator=self.generator)
        labels = ids.masked_fill(chance >= SHARE, -100)
        ids = torch.where(chance < 0.9 * SHARE, other, ids)
        ids = ids.masked_fill(chance < 0.8 * SHARE, MASK)
        return {"input_ids": ids, "labels": labels}


class Losses(TrainerCallback):
    def __init__(self, job):
        self.job = job

    def on_log(self, settings, state, control, logs=None, **named):
        if "loss" in logs:
            log(state.global_step, torch.tensor(float(logs["loss"])), self.job)


def main():
    args = arguments(batch=(24, 4), length=(48, 16), width=(128, 32), heads=(4, 2), layers=(3, 2), vocab=(300, 40))
    set_seed(0)
    config = RobertaConfig(
        vocab_size=args.vocab,
        hidden_size=args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        intermediate_size=4 * args.width,
        max_position_embeddings=args.length + 2,
        type_vocab_size=1,
        pad_token_id=PAD,
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder,
            max_steps=args.steps,
            per_device_train_batch_size=args.batch,
            learning_rate=5e-4,
            optim="adamw_torch_fused",
            save_strategy="no",
            logging_steps=args.log_every,
            logging_nan_inf_filter=False,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        Trainer(
            RobertaForMaskedLM(config),
            settings,
            data_collator=Masker(args.vocab),
            train_dataset=Sentences(80 * args.batch, args.length, args.vocab),
            callbacks=[Losses(args)],
        ).train()


if __name__ == "__main__":
    main()
