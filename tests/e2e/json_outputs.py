"""Outputs of every command that has --json, and of those that have --brief: of the traces that are here, of lint, of a trained model.

outputs(gait, root, work) yields (words of the command, text of its stdout). What a command refuses, with
nothing on stdout, is left out. Used by json_schemas.py.
"""
import os
import pathlib
import subprocess

TRACE_BYTES_MAX = 600_000
QUESTIONS = ["remove op:aten::*", "scale kernel:* 0.5", "no-wait", "no-loader", "batch=2x",
             "ranks=8 net=25GB/s"]
SMALL = ["--layers", "1", "--width", "16", "--heads", "2", "--warmup-steps", "1", "--builtin-chars", "20000"]


def traces(root):
    """Small traces of the repository, then those of the inventory of real ones."""
    yield root / "examples/three_steps.trace.json"
    for folder in ("tests/cmdline/files", "tests/data/trace", "tests/fuzz/corpus/trace"):
        yield from sorted(p for p in (root / folder).iterdir() if ".json" in p.name)
    real = root.parent / "shared/traces"
    if real.is_dir():
        yield from sorted(p for p in real.rglob("*.json*")
                          if p.is_file() and p.stat().st_size <= TRACE_BYTES_MAX)


def several_ranks(root):
    """Folders of the real traces that hold more than one, as one job each."""
    real = root.parent / "shared/traces"
    folders = {p.parent for p in traces(root) if real in p.parents}
    return sorted(f for f in folders if 1 < len([p for p in f.iterdir() if p.is_file()]) <= 16)


def of_traces(root):
    before = None
    for path in traces(root):
        yield ["analyze", "--json", "--top", "30", path]
        yield ["explain", "--json", path]
        yield ["whatif", "--json", path, *QUESTIONS]
        yield ["whatif", "--json", path, "batch=2x"]
        yield ["analyze", "--brief", path]
        yield ["explain", "--brief", path]
        yield ["explain", "--brief", "1", path]
        yield ["whatif", "--brief", path, *QUESTIONS]
        if before:
            yield ["verify", "--brief", before, path]
            yield ["analyze", "--compare", "--json", "--top", "30", before, path]
            yield ["verify", "--json", before, path]
        before = path
    for folder in several_ranks(root):
        yield ["analyze", "--json", "--top", "30", folder]
        yield ["explain", "--json", folder]


def of_sources(root):
    for path in sorted((root / "tests/cmdline/files").glob("*.py")):
        yield ["lint", "--json", path]
    yield ["lint", "--json", root / "tests/lint/jobs"]  # fixes, safe and unsafe
    yield ["lint", "--json", "--statistics", root / "tests/lint/jobs"]
    yield ["lint", "--brief", root / "tests/lint/jobs"]
    yield ["lint", "--brief", "--isolated", "--select", "ALL", root / "tests/lint/GT101-sync-item"]
    for run in "train.gait", "trace.json.gz":
        job = root / "tests/data/suspects"
        yield ["lint", "--json", "--isolated", job / "train.py", "--with", job / run]
        yield ["lint", "--brief", "--isolated", job / "train.py", "--with", job / run]
    yield ["version", "--json"]
    yield ["config", "--json"]


def of_history(root, work):
    example, history = root / "examples/three_steps.trace.json", work / "history.db"
    for _ in range(9):
        yield ["verify", "--json", example, example, "--history", history]
    yield ["verify", "--json", "--history", history, "--trend"]


def of_trainer(root, work):
    config = root / "tests/cmdline/files/good.yaml"
    text = work / "text.txt"
    text.write_text("to be or not to be\n" * 200)
    for name, seed in ("before", "1"), ("after", "1"), ("other", "2"):
        yield ["train", "--json", config, *SMALL, "--steps", "12", "--seed", seed, "--checkpoint-dir",
               work / f"saved-{name}", "-o", work / f"{name}.gait"]
    yield ["top", "--json", work / "saved-before"]
    yield ["verify", "--json", work / "before.gait", work / "after.gait"]
    yield ["verify", "--json", work / "before.gait", work / "other.gait"]
    yield ["verify", "--brief", work / "before.gait", work / "other.gait"]
    yield ["explain", "--brief", "1", work / "before.gait"]
    yield ["verify", "--json", work / "before.gait", root / "examples/three_steps.trace.json"]
    yield ["profile", "--json", config, *SMALL, "--profile-steps", "4", "--profile-warmup", "1", "-o",
           work / "profile.gait"]
    yield ["profile", "--json", config, *SMALL, "--profile-warmup", "1", "--sweep", "context=8,16"]
    for run in "before.gait", "profile.gait":
        yield ["analyze", "--json", work / run]
        yield ["explain", "--json", work / run]
        yield ["whatif", "--json", work / run, "batch=2x", "scale op:* 0.5"]
    yield ["data", "prepare", text, "--json", "-t", "bytes", "-o", work / "tokens"]
    yield ["data", "show", "--json", work / "tokens"]
    yield ["export", "--json", work / "saved-before", "--hf", work / "hf"]
    yield ["ablate", config, "--json", *SMALL, "--steps", "12", "--budget", "3"]
    yield ["verify", config, config, "--json", "--budget", "2", "--equal-time", "1"]
    yield ["verify", config, "--save-baseline", "main", "--history", work / "history.db", "--budget", "1"]
    yield ["verify", config, "--baseline", "main", "--history", work / "history.db", "--json", "--budget", "1"]
    yield ["verify", "--history", work / "history.db", "--trend", "--json"]
    yield ["tune", config, "--json", *SMALL, "--steps", "12", "--budget", "3", "--overhead", "2", "--keep", "precision"]
    for more in (), ("--dataset", work / "nothere.txt"), ("--checkpoint-dir", work / "saved-before"):
        yield ["diagnose", "--json", config, *SMALL, "--steps", "12", "--probe-steps", "3", "--threads", "1", *more]
    yield ["bench", "--json", "--threads", "1"]
    yield ["bench", config, "--json", "--threads", "1", *SMALL, "--profile-steps", "2", "--profile-warmup", "1"]


def outputs(gait, root, work):
    has_trainer = b"trainer: yes" in subprocess.run([gait, "version"], capture_output=True).stdout
    commands = [*of_traces(root), *of_sources(root), *of_history(root, work)]
    if has_trainer:
        commands += of_trainer(root, work)
    for words in commands:
        words = [str(w) for w in words]
        done = subprocess.run([gait, words[0], *words[1:], "-q"], capture_output=True, cwd=work,
                              env={**os.environ, "XDG_CACHE_HOME": str(work / "cache")})
        if done.returncode < 0 or done.returncode > 3:
            raise SystemExit(f"gait {' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
        if done.stdout and ("--json" in words or "--brief" in words):
            yield words, done.stdout.decode()
