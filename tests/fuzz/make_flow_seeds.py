#!/usr/bin/env python3
"""Writes the seeds of fuzz_flow anew, after the columns of flow-PID.bin have changed: python3 tests/fuzz/make_flow_seeds.py"""
import json
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, os.pardir, "hook"))
from gait_hook.contract import FLOW_COLUMNS, FLOW_VERSION  # noqa: E402

HEAD = {"gait_flow": FLOW_VERSION, "steps": 2, "sampled_steps": 4, "sampled_ns": 400, "files": ["train.py"], "functions": ["main"], "texts": ["mask = torch.ones(2, 3)"],
        "ops": ["aten::ones", "aten::add.Tensor"], "traits": [64, 16], "shapes": ["[2, 3]", "[3, 1]"], "dtypes": ["float32"],
        "notes": ["said"]}
LINES = [{"line": 7, "caller": -1}, {"line": 8, "caller": 0}]
SAMPLES = [{"count": 9}, {"line": -1, "inner": -1, "count": 3}]
FLOW = {
    "tensors": [{"bytes": 24, "source": 9}, {"bytes": 24, "kept": 1}],
    "ops": [{"inner": -1, "forward": -1, "scalars": 5}, {"name": 1, "step": 1, "scalars": 6}],
    "op_tensors": [{"role": 2, "hash": 11, "zeros": -1, "zero_rows": -1}, {"op": 1, "strides": 1, "zeros": -1, "zero_rows": -1},
                   {"op": 1, "role": 2, "tensor": 1, "strides": 1, "hash": 12, "zeros": 1000, "zero_rows": -1}],
}


def write(name, tables, head=None):
    """What a row does not say is 0."""
    names = list(dict.fromkeys(table for table, _ in FLOW_COLUMNS))
    head = dict(HEAD, **(head or {}), rows=[len(tables.get(table, ())) for table in names])
    with open(os.path.join(HERE, "corpus", "flow", name), "wb") as f:
        f.write(json.dumps(head).encode() + b"\n")
        for table, column in FLOW_COLUMNS:
            for row in tables.get(table, ()):
                f.write(struct.pack("<q", row.get(column, 0)))


write("two_ops.bin", dict(FLOW, lines=LINES, samples=SAMPLES[:1]))
write("samples_only.bin", {"lines": LINES, "samples": SAMPLES}, {"steps": 0, "ops": [], "traits": [], "shapes": [], "dtypes": []})
write("empty.bin", {})
