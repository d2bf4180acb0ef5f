"""A small Llama that continues stories: Accelerate, gradient accumulation and a cosine schedule."""
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from transformers import LlamaConfig, LlamaForCausalLM, get_cosine_schedule_with_warmup

from training import TextDataset, arguments, log


def build(args):
    config = LlamaConfig(
        vocab_size=args.vocab,
        hidden_size=args.width,
        intermediate_size=2 * args.width,
        num_hidden_layers=args.layers,
        num_attention_heads=args.heads,
        max_position_embeddings=args.length,
        use_cache=False,
        attn_implementation="eager",
    )
    return LlamaForCausalLM(config)


def main():
    args = arguments(batch=(1, 2), length=(384, 16), width=(160, 32), heads=(5, 2), layers=(2, 2), vocab=(256, 64), accumulate=(2, 2))
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accumulate)
    set_seed(0)
    model = build(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), fused=True)
    schedule = get_cosine_schedule_with_warmup(optimizer, 20, max(args.steps, 40))
    data = TextDataset(args)
    data.items = args.steps * args.batch * args.accumulate
    loader = torch.utils.data.DataLoader(data, args.batch, shuffle=True, drop_last=True)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    step, total = 0, 0.0
    for tokens, targets in loader:
        with accelerator.accumulate(model):
            logits = model(input_ids=tokens).logits
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
            accelerator.backward(loss)
            total += loss.detach() / args.accumulate
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        if accelerator.sync_gradients:
            step += 1
            log(step, total, args)
            total = 0.0


if __name__ == "__main__":
    main()
