import torch
from transformers import AutoModelForCausalLM


def train(name, loader, epochs):
    model = AutoModelForCausalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(epochs):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    model.save_pretrained("tuned")  # expect
