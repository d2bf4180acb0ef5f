"""Runs the program under test as a user would and reads what it leaves behind."""
import contextlib
import io
import json
import os
import subprocess

from safetensors.torch import load_file


class Failed(Exception):
    """The program did not do its work; the text says which command and what it said."""


class Product:
    def __init__(self, path, settings=None, environment=None):
        """settings: of every training, beside its own."""
        self.path = os.path.abspath(path)
        self.settings = settings or {}
        self.environment = {**os.environ, **(environment or {})}

    def run(self, *arguments):
        """Standard output; a failure raises."""
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True,
                              env=self.environment)
        if done.returncode != 0:
            said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
            raise Failed(f"`{self.path} {' '.join(map(str, arguments))}` ended with {done.returncode}:\n{said}")
        return done.stdout

    def train(self, folder, settings, *flags):
        """Train with settings written to folder/config.yaml; standard output."""
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/config.yaml", "w") as f:
            f.writelines(f"{key}: {text(value)}\n" for key, value in {**settings, **self.settings}.items())
        return self.run("train", f"{folder}/config.yaml", *flags)


class Fake(Product):
    """fake_gait.py inside this process: starting Python anew each time would take longer than the training."""

    def __init__(self, fault=None):
        self.fault = fault
        self.settings = {}

    def run(self, *arguments):
        import fake_gait
        out = io.StringIO()
        before = ["--fault", self.fault] if self.fault else []
        with contextlib.redirect_stdout(out):
            fake_gait.main(before + [str(a) for a in arguments])
        return out.getvalue()


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def read_step(folder, step, part):
    """The tensors of one file of a step's checkpoint; part: model or optimizer."""
    path = f"{folder}/step-{step:08d}/{part}.safetensors"
    if not os.path.exists(path):
        there = ", ".join(sorted(os.listdir(folder))) if os.path.isdir(folder) else "no folder"
        raise Failed(f"there is no {path} (there is: {there})")
    return load_file(path)


def read_losses(folder, steps):
    """The losses of steps 1 to steps, as folder/metrics.jsonl has them."""
    found = {}
    with open(f"{folder}/metrics.jsonl") as f:
        for line in f:
            row = json.loads(line)
            if "step" in row and "loss" in row:
                found[row["step"]] = row["loss"]
    missing = [s for s in range(1, steps + 1) if s not in found]
    if missing:
        raise Failed(f"{folder}/metrics.jsonl has no loss of step {missing[0]} ({len(found)} of {steps} steps there)")
    return [found[s] for s in range(1, steps + 1)]
