"""Gait's own trainer as a job: `gait key=value …` in cases.tsv is `gait train` with these settings on top of jobs/trainer.yaml.

A trainer does not wait between its steps as the jobs under serve.py do, so short runs take turns. Their clock is the
trainer's own: the time that stands beside each step's loss in its file of events. Between two of these marks lies all that the
steps cost, with the validations and checkpoints that came due.
"""
import glob
import json
import os
import struct
import subprocess
import tempfile

from alternate import JobFailed, measure_starts, both_ratios
from cases import job_file
from predict import GAIT, analysis, kept, price_beside_steps, run

RECORDED_STEPS, RECORDED_WARM_UP = 60, 10
ROWS = ("prediction",)  # what predict() gives
PATIENCE_S = 300
HEAD_BYTES, TAIL_BYTES = 12, 4  # of a record in a file of events: its length and checksums
MARK = b"train/loss"
TINY = {"layers": 2, "width": 32, "context": 32, "batch_size": 2, "builtin_chars": 20000}


def settings_of(command):
    """The words after `gait`, as a dictionary."""
    return dict(word.split("=", 1) for word in command[1:])


def gait_command(verb, command, settings):
    """Later settings win over those of the command."""
    flags = [x for key, value in {**settings_of(command), **settings}.items() for x in (f"--{key}", str(value))]
    return [GAIT, verb, job_file(command), *flags]


def record(case, path):
    run(gait_command("profile", case.slow, {"profile_steps": RECORDED_STEPS, "profile_warmup": RECORDED_WARM_UP}) + ["-o", path])


def predict(case, path):
    """As predict.predict, from a profile."""
    record(case, path)
    yield ROWS[0], predict_again(path)


def predict_again(path):
    """The findings of a profile that is there."""
    return kept(price_beside_steps(analysis(path)))


def train(command, folder, settings):
    """Runs to its end, with folder for what it writes."""
    try:
        done = subprocess.run([*gait_command("train", command, {"log_dir": "log", **settings}), "-q"], cwd=folder, check=False,
                              capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)
    except OSError as problem:
        raise JobFailed(f"{GAIT}: {problem.strerror}; build it first: make") from problem
    except subprocess.TimeoutExpired as problem:
        raise JobFailed(f"gait train took over {PATIENCE_S} s") from problem
    if done.returncode != 0:
        raise JobFailed(f"exit {done.returncode}: {(done.stderr.strip() or 'nothing on stderr').splitlines()[-1]}")


def events(data):
    """The records of a file of events."""
    at = 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at)
        yield data[at + HEAD_BYTES:at + HEAD_BYTES + size]
        at += HEAD_BYTES + size + TAIL_BYTES


def step_marks(folder):
    """Seconds of the calendar's clock at which each step's loss was written: after its validation, before its checkpoint."""
    path, = glob.glob(os.path.join(folder, "log", "events.out.tfevents.*"))
    with open(path, "rb") as file:
        return [struct.unpack_from("<d", event, 1)[0] for event in events(file.read()) if MARK in event]


def seconds_a_step(case, marks):
    """Mean over the block, without the steps before it."""
    return (marks[case.skip + case.block] - marks[case.skip]) / case.block


def block_seconds(case, command):
    # the first mark has a step before it; one more step, since the last one's validation is no longer the loop's
    steps = 1 + case.skip + case.block + 1
    with tempfile.TemporaryDirectory() as folder:
        train(command, folder, {"steps": steps})
        marks = step_marks(folder)
    if len(marks) != steps:
        raise JobFailed(f"{len(marks)} marks of {steps} steps")
    return seconds_a_step(case, marks)


def compare(case, first_command, second_command, most_turns, work=1.0, _options=()):
    """As alternate.compare, by runs in turn; there is nothing to be served with options."""
    def measure_turn(i):
        seconds = [block_seconds(case, command) for command in (first_command, second_command, first_command)]
        return tuple(seconds if i % 2 == 0 else reversed(seconds))

    starts = measure_starts(case, lambda turns: [measure_turn(i) for i in range(turns)], most_turns)
    return both_ratios(case, starts, work)


def losses(command, steps):
    """Of a tiny model; in f32 where the command does not say: bf16 rounds more than the tolerance for losses."""
    precision = settings_of(command).get("precision", "f32")
    with tempfile.TemporaryDirectory() as folder:
        train(command, folder, {**TINY, "precision": precision, "steps": steps})
        with open(os.path.join(folder, "log", "metrics.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    return [row["loss"] for row in rows if "loss" in row]
