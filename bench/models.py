"""The models that bench/peers and bench/ops measure, and the bare calls that bound their products."""
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
MKL = BUILD / "mkl"
PYTHON = ROOT / ".venv/bin/python"

GPT2 = dict(model="gpt2", layers=12, heads=12, kv_heads=12, width=768, hidden=3072, vocab=50257, batch=4, context=256)
CHAR = dict(model="gpt2", layers=6, heads=6, kv_heads=6, width=384, hidden=1536, vocab=65, batch=64, context=256)
MAC = dict(model="gpt2", layers=4, heads=4, kv_heads=4, width=128, hidden=512, vocab=65, batch=12, context=64)
LLAMA = dict(model="llama", layers=12, heads=12, kv_heads=4, width=768, hidden=2048, vocab=32000, batch=4, context=256)


def machine():
    lines = open("/proc/cpuinfo").read().splitlines()
    force_isa()
    flags = set(next(l for l in lines if l.startswith("flags")).split())
    name = next(l for l in lines if l.startswith("model name")).split(":", 1)[1].strip()
    kind = "amx" if "amx_bf16" in flags else "avx512" if "avx512f" in flags else "avx2"
    return os.environ.get("GAIT_ISA", kind), name


# How `gait train` lets its threads wait (src/cli/patient_threads.c).
PATIENT = {"GOMP_SPINCOUNT": "3000"}


def force_isa():
    """GAIT_ISA=avx2 holds for everybody who is measured."""
    if os.environ.get("GAIT_ISA") == "avx2":
        os.environ.update(ONEDNN_MAX_CPU_ISA="AVX2", DNNL_MAX_CPU_ISA="AVX2", MKL_ENABLE_INSTRUCTIONS="AVX2",
                          ATEN_CPU_CAPABILITY="avx2")


def configs(kind):
    named = {"gpt2": (GPT2, "bf16"), "char": (CHAR, "bf16"), "mac": (MAC, "bf16"), "gpt2_f32": (GPT2, "f32"),
             "char_f32": (CHAR, "f32"), "mac_f32": (MAC, "f32"), "llama": (LLAMA, "bf16" if kind == "amx" else "f32")}
    return {name: dict(shape, precision=precision) for name, (shape, precision) in named.items()}


class Server:
    """A program that does what a line asks for and answers with a line."""

    def __init__(self, name, command, environment=None):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})})

    def ask(self, n):
        try:
            self.process.stdin.write(f"{n}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            sys.exit(f"{self.name} ended:\n{self.process.stderr.read()[-2000:]}")
        try:
            return json.loads(line)
        except ValueError:
            sys.exit(f"{self.name} answered \"{line.strip()}\"")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def linears(c):
    size = c["width"] // c["heads"]
    qkv = (c["heads"] + 2 * c["kv_heads"]) * size
    up = c["hidden"] * (2 if c["model"] == "llama" else 1)
    return [f"qkv:{c['layers']}:{qkv}:{c['width']}", f"proj:{c['layers']}:{c['width']}:{c['width']}",
            f"up:{c['layers']}:{up}:{c['width']}", f"down:{c['layers']}:{c['width']}:{c['hidden']}",
            f"head:1:{c['vocab']}:{c['width']}"]


def write_tokens(folder, vocab):
    """Random tokens, the low ones more often, as in text."""
    dice = random.Random(1)
    for name, n in (("train.bin", 400_000), ("val.bin", 40_000)):
        tokens = [int(vocab * dice.random() ** 3) for _ in range(n)]
        (folder / name).write_bytes(struct.pack(f"<{n}H", *tokens))
    (folder / "meta.json").write_text(json.dumps({"vocab_size": vocab}))


def write_config(folder, c, threads, engine):
    write_tokens(folder, c["vocab"])
    settings = dict(dataset=str(folder), model=c["model"], layers=c["layers"], heads=c["heads"], width=c["width"],
                    hidden=c["hidden"], context=c["context"], batch_size=c["batch"], precision=c["precision"],
                    threads=threads, steps=100000, warmup_steps=0, eval_interval=0)
    if c["model"] == "llama":
        settings |= dict(kv_heads=c["kv_heads"], bias="false")
    if engine:
        settings["engine"] = engine
    path = folder / "config.yaml"
    path.write_text("".join(f"{k}: {v}\n" for k, v in settings.items()))
    return path


def find_mkl():
    found = sorted(MKL.glob("**/libmkl_rt.so*"))
    if not found:
        subprocess.run([sys.executable, "-m", "venv", MKL], capture_output=True)
        if (MKL / "bin/pip").exists():
            subprocess.run([MKL / "bin/pip", "install", "-q", "mkl"], capture_output=True)
        found = sorted(MKL.glob("**/libmkl_rt.so*"))
    return str(found[-1]) if found else ""


def floor_server(c, threads, mkl):
    # MKL on the same OpenMP as oneDNN: threads of its own would still spin while oneDNN's calls are timed.
    environment = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads), "GAIT_MKL": mkl,
                   "MKL_THREADING_LAYER": "GNU"}
    if mkl:
        environment["LD_LIBRARY_PATH"] = str(pathlib.Path(mkl).parent)
    command = [str(BUILD / "bench_floor"), c["precision"], str(c["batch"] * c["context"]), *linears(c)]
    return Server("the floor", command, environment)


def floor_of(rounds):
    """The sum over a step's products of the fastest call, by its median."""
    times = {}
    for answer in rounds:
        for x in answer:
            times.setdefault((x["linear"], x["product"], x["times"]), {}).setdefault(x["call"], []).append(x["ms"])
    fastest = {key: min((statistics.median(ms), call) for call, ms in calls.items()) for key, calls in times.items()}
    return sum(key[2] * ms for key, (ms, _) in fastest.items()), fastest
