import torch


def forward_in_bf16(model, x):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return model(x)
