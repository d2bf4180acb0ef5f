"""TensorBoard's own readers as the outside oracle: every scalar that src/metrics writes must come back with its
tag, step and every bit of its float; after a kill and a resume, no step twice and none of the killed run's.

    tensorboard_agrees.py WRITE_EVENTS        (build/tests/write_events)

The last line is JSON: how much was compared, and how much differed.
"""
import collections
import glob
import json
import logging
import struct
import subprocess
import sys
import tempfile
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader, LegacyEventFileLoader
from tensorboard.context import RequestContext
from tensorboard.data import server_ingester
from tensorboard.util import grpc_util

SCALARS = 10_000
logging.disable(logging.WARNING)


def written(program, folder, *what):
    """What the program says it wrote: tag -> [(step, bits)]."""
    out = subprocess.run([program, folder, *what], check=True, capture_output=True, text=True).stdout
    series = collections.defaultdict(list)
    for line in out.splitlines():
        tag, step, bits = line.split("\t")
        series[tag].append((int(step), int(bits, 16)))
    return series


def bits(value):
    """The 32 bits of a float; every NaN is one, for Python's floats do not keep which."""
    return 0x7fc00000 if value != value else struct.unpack("<I", struct.pack("<f", value))[0]


def one_nan(series):
    is_nan = lambda b: b & 0x7f800000 == 0x7f800000 and b & 0x7fffff
    return {tag: [(s, 0x7fc00000 if is_nan(b) else b) for s, b in rows] for tag, rows in series.items()}


def accumulated(folder):
    a = EventAccumulator(folder, size_guidance={"scalars": 0})
    a.Reload()
    return {tag: [(e.step, bits(e.value)) for e in a.Scalars(tag)] for tag in a.Tags()["scalars"]}


def loaded(path, loader):
    """By the file reader alone, which also checks every checksum."""
    series = collections.defaultdict(list)
    for i, event in enumerate(loader(path).Load()):
        assert (event.file_version == "brain.Event:2") == (i == 0), "the version stands first and once"
        for value in event.summary.value:
            float_value = value.tensor.float_val[0] if value.HasField("tensor") else value.simple_value
            series[value.tag].append((event.step, bits(float_value)))
    return series


def served(folder, want, patience_s=30):
    """By the data server that `tensorboard --logdir` starts. It reads in the background: wait until it agrees."""
    ingester = server_ingester.SubprocessServerDataIngester(
        server_binary=server_ingester.get_server_binary(), logdir=folder, reload_interval=0,
        channel_creds_type=grpc_util.ChannelCredsType.LOCAL)
    ingester.start()
    end_s = time.monotonic() + patience_s
    while True:
        runs = ingester.data_provider.read_scalars(
            RequestContext(), experiment_id="", plugin_name="scalars", downsample=100_000)
        got = {tag: [(d.step, bits(d.value)) for d in rows] for run in runs.values() for tag, rows in run.items()}
        if not mismatches(want, got) or time.monotonic() > end_s:
            return got
        time.sleep(0.1)


def mismatches(want, got):
    """Scalars that are missing, too many, or different."""
    n = 0
    for tag in set(want) | set(got):
        w, g = want.get(tag, []), got.get(tag, [])
        n += sum(a != b for a, b in zip(w, g)) + abs(len(w) - len(g))
    return n


def odd_scalars(program):
    with tempfile.TemporaryDirectory() as folder:
        want = one_nan(written(program, folder, "odd", str(SCALARS)))
        [path] = glob.glob(folder + "/events.out.tfevents.*")
        readers = {"EventAccumulator": accumulated(folder), "EventFileLoader": loaded(path, EventFileLoader),
                   "LegacyEventFileLoader": loaded(path, LegacyEventFileLoader)}
    return sum(map(len, want.values())), {name: mismatches(want, got) for name, got in readers.items()}


def kill_and_resume(program):
    with tempfile.TemporaryDirectory() as folder:
        before = written(program, folder, "killed")
        with open(glob.glob(folder + "/events.*")[0], "ab") as f:
            f.write(b"\x20\0\0\0\0\0\0\0\x29\xed")  # a record that the kill cut
        with open(folder + "/metrics.jsonl", "a") as f:
            f.write('{"step":100,"lo')
        after = written(program, folder, "resumed")
        want = {tag: [r for r in before[tag] if r[0] < 50] + after[tag] for tag in before}
        got = accumulated(folder)
        by_server = served(folder, want)
        lines = [json.loads(line) for line in open(folder + "/metrics.jsonl")]
    in_lines = {"train/loss": [(o["step"], bits(o["loss"])) for o in lines],
                "validation/loss": [(o["step"], bits(o["validation_loss"])) for o in lines if "validation_loss" in o]}
    assert len(lines) == 80
    return sum(map(len, want.values())), {"EventAccumulator": mismatches(want, got),
                                          "data server": mismatches(want, by_server),
                                          "metrics.jsonl": mismatches(want, in_lines)}


def main():
    program = sys.argv[1]
    n_odd, odd = odd_scalars(program)
    n_resumed, resumed = kill_and_resume(program)
    # The comparison itself must be able to fail.
    assert mismatches({"a": [(1, 2), (2, 3)]}, {"a": [(1, 2), (2, 4), (3, 3)], "b": [(1, 1)]}) == 3
    result = {"odd_scalars": n_odd, "odd_mismatches": odd, "resumed_scalars": n_resumed, "resumed_mismatches": resumed}
    good = n_odd == SCALARS and n_resumed == 88 and not any(odd.values()) and not any(resumed.values())
    result["verdict"] = "agrees" if good else "differs"
    print(json.dumps(result))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
