"""A small GPT-2 learns poems with the Hugging Face Trainer, and tells how many words it would have guessed."""
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments, set_seed

from training import TextDataset, arguments, log


class Poems(torch.utils.data.Dataset):
    def __init__(self, args, count):
        data = TextDataset(args)
        self.lines = torch.stack([data[i][0] for i in range(count)])

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, i):
        return {"input_ids": self.lines[i], "labels": self.lines[i]}


class PoemTrainer(Trainer):
    guessed = words = 0

    def compute_loss(self, model, inputs, return_outputs=False, **named):
        loss = super().compute_loss(model, inputs, **named)
        with torch.no_grad():
            outputs = model(**inputs)
            hits = outputs.logits[:, :-1].argmax(-1) == inputs["labels"][:, 1:]
        self.guessed, self.words = self.guessed + hits.sum(), self.words + hits.numel()
        return (loss, outputs) if return_outputs else loss

    def log(self, logs, *rest, **named):
        if self.words:
            logs["guessed"] = float(self.guessed / self.words)
        self.guessed = self.words = 0
        super().log(logs, *rest, **named)


class Losses(TrainerCallback):
    def __init__(self, job):
        self.job = job

    def on_log(self, settings, state, control, logs=None, **named):
        if "loss" in logs:
            log(state.global_step, torch.tensor(float(logs["loss"])), self.job)


def main():
    args = arguments(batch=(8, 2), length=(64, 16), width=(128, 16), heads=(4, 2), layers=(3, 2), vocab=(512, 64))
    set_seed(0)
    config = GPT2Config(
        vocab_size=args.vocab,
        n_positions=args.length,
        n_embd=args.width,
        n_layer=args.layers,
        n_head=args.heads,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
        bos_token_id=0,
        eos_token_id=0,
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
        PoemTrainer(GPT2LMHeadModel(config), settings, train_dataset=Poems(args, 80 * args.batch), callbacks=[Losses(args)]).train()


if __name__ == "__main__":
    main()
