import torch
from torch.utils.data import DataLoader
from transformers import AutoTokenizer


def collate_fn(batch):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")  # expect
    return tokenizer([row["text"] for row in batch], return_tensors="pt", padding=True)


loader = DataLoader(rows, batch_size=8, collate_fn=collate_fn)
