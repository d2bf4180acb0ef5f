# select GT109
import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class RegionModel(nn.Module):
    """Each sample: a previous region, one token between, and the next region."""

    def __init__(self, width, device):
        super().__init__()
        self.device = device
        self.token_type_embedding = nn.Embedding(3, width)
        self.head = nn.Linear(width, 4)

    def forward(self, context_embed, prev_region_len):
        batch_size = context_embed.size(0)
        outputs = []
        token_type_0, token_type_1, token_type_2 = self.token_type_embedding.weight
        for b in range(batch_size):
            prev_embeds = context_embed[b, : prev_region_len[b]] + token_type_0
            between = context_embed[b, prev_region_len[b]] + token_type_1
            next_embeds = context_embed[b, prev_region_len[b] + 1 :] + token_type_2
            outputs.append(torch.cat([prev_embeds, between[None], next_embeds]).mean(dim=0))
        return self.head(torch.stack(outputs))


torch.manual_seed(0)
model = RegionModel(16, device).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
context = torch.randn(8, 20, 16, device=device)
prev_region_len = [4 + i % 8 for i in range(8)]
labels = torch.randint(0, 4, (8,), device=device)
for step in range(20):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(context, prev_region_len), labels)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.3f}")
