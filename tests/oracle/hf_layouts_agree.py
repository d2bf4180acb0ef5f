"""transformers as the outside oracle of Hugging Face directories.

    hf_layouts_agree.py GAIT

Random small models of GPT-2 and Llama are saved by transformers in many forms, read and exported again by Gait, and
loaded by transformers: all tensors must be equal bitwise, and the logits too. A model that Gait trained is exported
and must give the logits that its own weights give. What Gait does not do must be refused by name. The last line is
one JSON object with the counts.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import torch.nn.functional as F
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

transformers.utils.logging.disable_progress_bar()
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
GAIT = sys.argv[1]
counts = {"models": 0, "tensors": 0, "refusals": 0, "failures": 0}


def gpt2(**more):
    shape = dict(n_layer=2, n_head=3, n_embd=24, vocab_size=65, n_positions=20, bos_token_id=None, eos_token_id=None)
    return GPT2LMHeadModel(GPT2Config(**{**shape, **more}))


def llama(**more):
    shape = dict(num_hidden_layers=2, num_attention_heads=6, num_key_value_heads=2, hidden_size=48, intermediate_size=52,
                 vocab_size=65, max_position_embeddings=64)
    return LlamaForCausalLM(LlamaConfig(**{**shape, **more}))


def randomise(model):
    """Norms and biases too: those of a new model are ones and zeros and would hide a mix-up."""
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.2)
    return model.eval()


def export(source, out, *options):
    return subprocess.run([GAIT, "export", source, "--hf", out, *options], capture_output=True, text=True)


def edit_json(path, change):
    with open(path) as f:
        value = json.load(f)
    change(value)
    with open(path, "w") as f:
        json.dump(value, f)


def edit_config(folder, **values):
    def change(config):
        for key, value in values.items():
            config.pop(key, None)
            if value is not ...:  # ... removes the key
                config[key] = value
    edit_json(f"{folder}/config.json", change)


def edit_weights(folder, change):
    weights = load_file(f"{folder}/model.safetensors")
    save_file(change(weights), f"{folder}/model.safetensors", {"format": "pt"})


def fail(label, why):
    counts["failures"] += 1
    print(f"FAILED {label}: {why}")


def same_tensors(label, ours, theirs):
    """Both as f32; bit for bit."""
    if set(ours) != set(theirs):
        return fail(label, f"other names: {sorted(set(ours) ^ set(theirs))[:4]}")
    for name, t in theirs.items():
        counts["tensors"] += 1
        if ours[name].shape != t.shape or not torch.equal(ours[name].float().view(torch.int32), t.float().view(torch.int32)):
            return fail(label, f"tensor {name} differs")
    return None


def logits_of(model, vocab):
    tokens = torch.arange(34).remainder(vocab).view(2, 17)
    with torch.no_grad():
        return model(tokens).logits


def in_f32(model, cast=None):
    """A new model with the weights of this one, rounded to a dtype where one is given; its buffers are its own."""
    copy = type(model)(model.config)
    copy.load_state_dict({k: v.to(cast or v.dtype).float() for k, v in model.state_dict().items()})
    return copy.float().eval()


def save_as(model, folder, dtype):
    copy = type(model)(model.config)
    copy.load_state_dict(model.state_dict())
    copy.to(dtype).save_pretrained(folder)


def round_trip(label, source, model, *options, cast=None, want_shards=None):
    """Export source; transformers must load from it what `model` holds (cast to a dtype first, where given)."""
    counts["models"] += 1
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        done = export(source, out, *options)
        if done.returncode:
            return fail(label, done.stderr.strip())
        if want_shards and (len([f for f in os.listdir(out) if f.startswith("model-")]) > 1) != want_shards:
            return fail(label, "the number of files")
        # No dtype is given: it is the one in config.json.
        back, info = AutoModelForCausalLM.from_pretrained(out, output_loading_info=True)
        for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
            if info[kind]:
                return fail(label, f"{kind}: {info[kind]}")
        if back.dtype != (cast or torch.float32):
            return fail(label, f"loads as {back.dtype}")
        want, back = in_f32(model, cast), in_f32(back)
        same_tensors(label, back.state_dict(), want.state_dict())
        if not torch.equal(logits_of(back, 65), logits_of(want, 65)):
            fail(label, "the logits differ")
        for key in ("tie_word_embeddings", "vocab_size"):
            if getattr(back.config, key) != getattr(model.config, key):
                fail(label, f"config: {key}")
        if model.config.model_type == "llama" and back.config.rope_parameters != model.config.rope_parameters:
            fail(label, f"{back.config.rope_parameters} is not {model.config.rope_parameters}")
    print(f"ok {label}")
    return None


def models():
    yield "gpt2", gpt2()
    yield "gpt2 of one layer and head", gpt2(n_layer=1, n_head=1, n_embd=7)
    yield "gpt2 with n_inner", gpt2(n_inner=40, layer_norm_epsilon=1e-6)
    yield "gpt2 untied", gpt2(tie_word_embeddings=False)
    yield "llama with grouped heads", llama()
    yield "llama with all heads", llama(num_key_value_heads=6)
    yield "llama with one head of keys", llama(num_key_value_heads=1)
    yield "llama tied", llama(tie_word_embeddings=True)
    yield "llama 3 rope", llama(rope_parameters={**LLAMA3, "rope_theta": 500000.0})
    yield "llama 3 rope tied", llama(rope_parameters={**LLAMA3, "rope_theta": 1e4}, tie_word_embeddings=True, rms_norm_eps=1e-5)
    yield "llama with another theta", llama(rope_parameters={"rope_type": "default", "rope_theta": 1234.5})


def every_model():
    for label, model in models():
        randomise(model)
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder)
            round_trip(label, folder, model)
            round_trip(label + ", into shards", folder, model, "--max-shard-size", "2KB", want_shards=True)
            round_trip(label + ", to bf16", folder, model, "--dtype", "bf16", cast=torch.bfloat16)
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder, max_shard_size="9KB")
            round_trip(label + ", from shards", folder, model)
            round_trip(label + ", from shards into shards", folder, model, "--max-shard-size", "1KiB", want_shards=True)
        for dtype in (torch.bfloat16, torch.float16, torch.float64):
            with tempfile.TemporaryDirectory() as folder:
                save_as(model, folder, dtype)
                round_trip(f"{label}, from {dtype}", folder, in_f32(model, dtype))


def older_forms():
    """What earlier versions wrote: no prefix, buffers, a tied head twice, rope beside the rest."""
    model = randomise(gpt2())
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        edit_weights(folder, lambda w: {k.removeprefix("transformer."): v for k, v in w.items()})
        round_trip("gpt2 without prefix", folder, model)
        edit_weights(folder, lambda w: {**w, "h.0.attn.bias": torch.ones(1, 1, 20, 20), "h.1.attn.masked_bias": torch.tensor(-1e4)})
        round_trip("gpt2 with masks", folder, model)
        edit_weights(folder, lambda w: {**w, "lm_head.weight": w["wte.weight"].clone()})
        round_trip("gpt2 with its head twice", folder, model)
        edit_config(folder, architectures=["GPT2Model"], n_ctx=20)
        round_trip("GPT2Model", folder, model)
        edit_config(folder, architectures=...)
        round_trip("gpt2 by its model_type", folder, model)
    model = randomise(llama(rope_parameters={**LLAMA3, "rope_theta": 500000.0}))
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        edit_config(folder, rope_parameters=..., dtype=..., rope_theta=500000.0, rope_scaling=LLAMA3, torch_dtype="float32")
        edit_weights(folder, lambda w: {**w, "model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(4)})
        round_trip("llama of version 4", folder, model)
        edit_weights(folder, lambda w: {k.removeprefix("model."): v for k, v in w.items()})
        round_trip("llama without prefix", folder, model)


def trained_models():
    """A checkpoint of Gait's own: exported, it computes what its weights compute."""
    for bias in ("true", "false"):
        label = f"trained by gait, bias {bias}"
        counts["models"] += 1
        with tempfile.TemporaryDirectory() as folder:
            open(f"{folder}/c.yaml", "w").write("{}\n")
            subprocess.run([GAIT, "train", f"{folder}/c.yaml", "--quiet", "--layers", "2", "--heads", "3", "--width", "24",
                            "--context", "20", "--steps", "3", "--warmup-steps", "1", "--bias", bias, "--batch-size", "2",
                            "--eval-batches", "1", "--checkpoint-dir", f"{folder}/c"], check=True, capture_output=True)
            done = export(f"{folder}/c", f"{folder}/out")
            if done.returncode:
                fail(label, done.stderr)
                continue
            w = load_file(f"{folder}/c/step-00000003/model.safetensors")
            model = AutoModelForCausalLM.from_pretrained(f"{folder}/out").eval()
        if model.config.bos_token_id is not None or model.config.eos_token_id is not None:
            fail(label, "tokens of another vocabulary")
        theirs = {k.removeprefix("transformer."): v for k, v in model.state_dict().items() if k != "lm_head.weight"}
        linears = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")
        mine = {k: v.T.contiguous() if k.endswith(linears) else v for k, v in w.items()}
        mine = {k: mine.get(k, torch.zeros_like(v)) for k, v in theirs.items()}
        same_tensors(label, {k: v.contiguous() for k, v in theirs.items()}, mine)
        vocab = w["wte.weight"].shape[0]
        tokens = torch.arange(34).remainder(vocab).view(2, 17)
        difference = (logits_of(model, vocab) - plain_gpt2(w, tokens)).abs().max().item()
        if difference > 1e-5:
            fail(label, f"the logits differ by {difference}")
        print(f"ok {label}, logits within {difference:.1e}")


def plain_gpt2(w, tokens, heads=3):
    """Logits from weights stored (outputs, inputs)."""
    (B, T), C = tokens.shape, w["wte.weight"].shape[1]
    x = w["wte.weight"][tokens] + w["wpe.weight"][:T]
    for i in range(sum(k.endswith("ln_1.weight") for k in w)):
        p = f"h.{i}."
        norm = lambda name, v: F.layer_norm(v, (C,), w[p + name + ".weight"], w.get(p + name + ".bias"), 1e-5)
        linear = lambda name, v: F.linear(v, w[p + name + ".weight"], w.get(p + name + ".bias"))
        q, k, v = (t.view(B, T, heads, C // heads).transpose(1, 2) for t in linear("attn.c_attn", norm("ln_1", x)).split(C, dim=2))
        x = x + linear("attn.c_proj", F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, C))
        x = x + linear("mlp.c_proj", F.gelu(linear("mlp.c_fc", norm("ln_2", x)), approximate="tanh"))
    return F.layer_norm(x, (C,), w["ln_f.weight"], w.get("ln_f.bias"), 1e-5) @ w["wte.weight"].T


def tokenizers():
    """tokenizer.json goes along, and AutoTokenizer loads it."""
    t = Tokenizer(models_bpe())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(["a walk of steps, step by step; é and 😀"] * 3,
                          trainers.BpeTrainer(vocab_size=300, special_tokens=["<|endoftext|>"], show_progress=False,
                                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    text = "step 7: é 😀\n"
    with tempfile.TemporaryDirectory() as folder:
        randomise(gpt2(vocab_size=300)).save_pretrained(folder)
        t.save(f"{folder}/tokenizer.json")
        counts["models"] += 1
        done = export(folder, f"{folder}/out")
        back = AutoTokenizer.from_pretrained(f"{folder}/out")
        config = AutoConfig.from_pretrained(f"{folder}/out")
        if back(text)["input_ids"] != t.encode(text).ids or back.decode(back(text)["input_ids"]) != text:
            fail("tokenizer", "it gives other tokens")
        if back.eos_token_id != t.token_to_id("<|endoftext|>") or config.eos_token_id != back.eos_token_id:
            fail("tokenizer", f"the end of a text is {back.eos_token_id}")
        if "with its tokenizer" not in done.stdout:
            fail("tokenizer", done.stdout)
    print("ok tokenizer")


def models_bpe():
    return __import__("tokenizers").models.BPE()


def refuse(label, source, says, code=3):
    counts["refusals"] += 1
    with tempfile.TemporaryDirectory() as folder:
        done = export(source, f"{folder}/out")
        if done.returncode != code or says not in done.stderr:
            return fail(label, f"exit {done.returncode}: {done.stderr.strip()!r} does not say {says!r}")
        if os.listdir(folder):
            return fail(label, "it left something behind")
    print(f"ok refused: {label}")
    return None


CONFIG_REFUSALS = [
    ("gpt2", {"architectures": ["BertForMaskedLM"]}, "BertForMaskedLM"),
    ("gpt2", {"model_type": "opt"}, "model_type \"opt\""),
    ("gpt2", {"architectures": ["LlamaForCausalLM"]}, "LlamaForCausalLM"),
    ("gpt2", {"activation_function": "gelu"}, "activation_function is \"gelu\""),
    ("gpt2", {"activation_function": 3}, "activation_function"),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx is true"),
    ("gpt2", {"scale_attn_weights": False}, "scale_attn_weights is false"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention is true"),
    ("gpt2", {"n_layer": ...}, "n_layer"), ("gpt2", {"n_layer": 0}, "n_layer"), ("gpt2", {"n_layer": 2.5}, "n_layer"),
    ("gpt2", {"n_layer": "2"}, "n_layer"), ("gpt2", {"n_layer": 10**12}, "layers = 1000000000000"),
    ("gpt2", {"n_head": 5}, "heads must divide"), ("gpt2", {"n_embd": 2**62}, "n_embd"),
    ("gpt2", {"layer_norm_epsilon": -1}, "layer_norm_epsilon"), ("gpt2", {"tie_word_embeddings": "yes"}, "tie_word_embeddings"),
    ("gpt2", {"n_layer": 3}, "\"transformer.h.2.ln_1.weight\" is missing"),
    ("gpt2", {"n_layer": 1}, "\"transformer.h.1.attn.c_attn.bias\" is none of the model"),
    ("gpt2", {"vocab_size": 66}, "\"transformer.wte.weight\" has another shape"),
    ("gpt2", {"tie_word_embeddings": False}, "\"lm_head.weight\" is missing"),
    ("gpt2", {"quantization_config": {"bits": 4}}, "quantization_config"),
    ("llama", {"attention_bias": True}, "attention_bias is true"), ("llama", {"mlp_bias": True}, "mlp_bias is true"),
    ("llama", {"hidden_act": "gelu"}, "hidden_act is \"gelu\""), ("llama", {"head_dim": 16}, "head_dim is 16"),
    ("llama", {"num_key_value_heads": 4}, "heads must divide"), ("llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "\"yarn\""),
    ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}, "\"linear\""), ("llama", {"rope_scaling": 7}, "rope_scaling"),
    ("llama", {"rope_parameters": {"rope_type": "llama3"}}, "factor"), ("llama", {"partial_rotary_factor": 0.5}, "whole heads"),
    ("llama", {"rope_parameters": {**LLAMA3, "high_freq_factor": 0.5}}, "high_freq_factor above"),
    ("llama", {"rope_theta": "big", "rope_parameters": ...}, "rope_theta"), ("llama", {"intermediate_size": ...}, "intermediate_size"),
    ("llama", {"tie_word_embeddings": True}, "differs from the embedding"),
]


def refused_configs(folder):
    for family, values, says in CONFIG_REFUSALS:
        shutil.rmtree(f"{folder}/x", ignore_errors=True)
        shutil.copytree(f"{folder}/{family}", f"{folder}/x")
        edit_config(f"{folder}/x", **values)
        refuse(f"{family} {values}", f"{folder}/x", says)


def refused_files(folder):
    def fresh(source):
        shutil.rmtree(f"{folder}/x", ignore_errors=True)
        shutil.copytree(f"{folder}/{source}", f"{folder}/x")
        return f"{folder}/x"
    x = fresh("gpt2")
    edit_weights(x, lambda w: {**w, "extra": torch.ones(2)})
    refuse("an extra tensor", x, "\"extra\" is none of the model")
    x = fresh("gpt2")
    edit_weights(x, lambda w: {**w, "wte.weight": w["transformer.wte.weight"].clone()})
    refuse("a tensor with and without prefix", x, "\"wte.weight\" is none of the model")
    x = fresh("gpt2")
    edit_weights(x, lambda w: {k: v.int() if "wpe" in k else v for k, v in w.items()})
    refuse("whole numbers as weights", x, "is not F32, F16, BF16 or F64")
    x = fresh("gpt2")
    edit_weights(x, lambda w: {k: v.T.contiguous() if k.endswith("c_fc.weight") else v for k, v in w.items()})
    refuse("a linear stored the other way", x, "c_fc.weight\" has another shape")
    os.rename(f"{x}/model.safetensors", f"{x}/pytorch_model.bin")
    refuse("a pickle", x, "pytorch_model.bin only, a pickle")
    os.remove(f"{x}/pytorch_model.bin")
    refuse("no weights", x, "holds neither")
    x = fresh("gpt2")
    with open(f"{x}/config.json", "w") as f:
        f.write("{")
    refuse("half a config", x, "config.json: ")
    x = fresh("gpt2")
    with open(f"{x}/model.safetensors", "r+b") as f:
        f.truncate(5000)
    refuse("half a file", x, "not a whole safetensors file")
    name = "model.safetensors.index.json"
    for path in ("../gpt2/model.safetensors", "/etc/passwd", "..", "sub/a.safetensors", ".hidden.safetensors", "model.bin", "",
                 "a\0.safetensors", 7):
        x = fresh("shards")
        edit_json(f"{x}/{name}", lambda v: v["weight_map"].update({"model.norm.weight": path}))
        refuse(f"an index to {path!r}", x, "of the same folder must stand there")
    x = fresh("shards")
    edit_json(f"{x}/{name}", lambda v: v["weight_map"].update({"model.norm.weight": "model-00001-of-00002.safetensors"}))
    refuse("an index to a missing file", x, "no such file")
    x = fresh("shards")
    first = min(f for f in os.listdir(x) if f.startswith("model-0"))
    edit_json(f"{x}/{name}", lambda v: v["weight_map"].update({"model.norm.weight": first}))
    refuse("an index to the wrong file", x, "which does not hold it")
    x = fresh("shards")
    edit_json(f"{x}/{name}", lambda v: v["weight_map"].pop("model.norm.weight"))
    refuse("an index that lacks a tensor", x, "download the model again")
    x = fresh("shards")
    edit_json(f"{x}/{name}", lambda v: v.pop("weight_map"))
    refuse("an index without a map", x, "no weight_map")
    x = fresh("shards")
    os.remove(f"{x}/{first}")
    refuse("a missing shard", x, "no such file")


def refusals():
    with tempfile.TemporaryDirectory() as folder:
        randomise(gpt2()).save_pretrained(f"{folder}/gpt2")
        model = randomise(llama())
        model.save_pretrained(f"{folder}/llama")
        model.save_pretrained(f"{folder}/shards", max_shard_size="9KB")
        refused_configs(folder)
        refused_files(folder)
        refuse("a folder that is not there", f"{folder}/nothing", "does not exist")


def main():
    torch.manual_seed(3)
    torch.set_num_threads(2)
    every_model()
    older_forms()
    tokenizers()
    trained_models()
    refusals()
    print(json.dumps({"oracle": "transformers " + transformers.__version__, **counts}))
    sys.exit(1 if counts["failures"] else 0)


main()
