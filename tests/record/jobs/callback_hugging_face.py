"""transformers' Trainer, which takes the example's callback where a run is named. 140 steps. Exit code 77 where it is absent."""
import sys
import tempfile

import torch

try:
    from transformers import GPT2Config, GPT2LMHeadModel, PrinterCallback, Trainer, TrainingArguments
except ImportError as e:
    print("transformers is not here:", e)
    sys.exit(77)


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 200

    def __getitem__(self, i):
        ids = torch.arange(i, i + 32) % 64
        return {"input_ids": ids, "labels": ids}


callbacks = []
if sys.argv[1:]:
    from hf_trainer import GaitCallback

    callbacks = [GaitCallback(sys.argv[1])]
torch.manual_seed(10)
with tempfile.TemporaryDirectory() as folder:
    try:
        arguments = TrainingArguments(output_dir=folder, max_steps=140, per_device_train_batch_size=4, save_strategy="no",
                                      logging_steps=70, report_to=[], disable_tqdm=True, use_cpu=True, seed=10)
    except ImportError as e:  # it wants accelerate
        print("the Trainer does not work here:", str(e).split("\n")[0])
        sys.exit(77)
    config = GPT2Config(vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4, attn_implementation="eager")
    trainer = Trainer(model=GPT2LMHeadModel(config), args=arguments, train_dataset=Texts(), callbacks=callbacks)
    trainer.remove_callback(PrinterCallback)  # it prints times
    trainer.train()
    print("final", [x["loss"] for x in trainer.state.log_history if "loss" in x])
