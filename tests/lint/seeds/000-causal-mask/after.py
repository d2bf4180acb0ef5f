import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class Baseline(nn.Module):
    def __init__(self, vocab_size, width, max_seq_len):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.position = nn.Embedding(max_seq_len, width)
        self.layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)
        self.register_buffer(
            "causal_mask", torch.triu(torch.ones(max_seq_len, max_seq_len), diagonal=1).bool(), persistent=False
        )

    def forward(self, x):
        seq_len = x.size(1)
        mask = self.causal_mask[:seq_len, :seq_len]
        h = self.embedding(x) + self.position.weight[:seq_len]
        return self.head(self.layer(h, src_mask=mask))


torch.manual_seed(0)
model = Baseline(vocab_size=64, width=32, max_seq_len=64).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
text = torch.randint(0, 64, (16, 65), device=device)
for step in range(20):
    optimizer.zero_grad()
    with torch.autocast(device, dtype=torch.bfloat16):
        logits = model(text[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}")
