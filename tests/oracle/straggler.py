#!/usr/bin/env python3
"""The slowdowns by stragglers that a public study lists come out of Gait's replay.

    straggler.py REPLAY_GRAPH [ROOT]    1 where one is off by more than 0.5 %; the last line is JSON

The study's timelines (ROOT/../shared/traces/straggler) hold each operation of each worker of a pipelined job: who computed
what, sent it to whom, and when all of them met. From them a graph is written for every step, which REPLAY_GRAPH
(tests/tools/replay) replays with src/replay/graph.h, and one more in which no worker is slower than another: computation takes
its mean, communication its median. The slowdown is the mean of the replayed steps over that one. Without the traces, or without
pyarrow (`pip install pyarrow`), nothing is compared: 77.
"""
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile

JOBS = ("ST", "SE", "AR")
ALLOWED_FRAC = 0.005
COMPUTES = {"forward-compute", "backward-compute", "gc", "optimizer"}
AT_THE_END = ("gc", "layernorm-grads-all-reduce", "embedding-grads-all-reduce", "grads-reduce-scatter",
              "optimizer-clip-main-grad", "optimizer")

Op = collections.namedtuple("Op", "kind number replica stage")


class Job:
    """Steps as {Op: (begin, end)} in seconds, and who meets whom in them."""

    def __init__(self, path):
        import pyarrow.parquet
        self.steps = collections.defaultdict(dict)
        for row in pyarrow.parquet.read_table(path).to_pylist():
            op = Op(row["optype"], row["seq_id"], row["dp_rank"], row["stage"])
            self.steps[row["step"]][op] = (row["start_ts"], row["start_ts"] + row["duration"])
        every = [op for ops in self.steps.values() for op in ops]
        self.replicas = 1 + max(op.replica for op in every)
        self.stages = 1 + max(op.stage for op in every)
        self.before = [self.order_of_stage(stage) for stage in range(self.stages)]

    def meeting(self, op):
        """All that end together with op: a name for it, and its members; None where op is alone."""
        way, _, side = op.kind.rpartition("-")
        if side in ("send", "recv"):
            forth = 1 if way == "forward" else -1
            sender = op.stage if side == "send" else op.stage - forth
            return (way, op.number, op.replica, sender), [op._replace(kind=way + "-send", stage=sender),
                                                          op._replace(kind=way + "-recv", stage=sender + forth)]
        if op.kind in ("params-all-gather", "grads-reduce-scatter"):
            return (op.kind, op.number, op.stage), [op._replace(replica=r) for r in range(self.replicas)]
        if op.kind == "embedding-grads-all-reduce":
            return (op.kind, op.number, op.replica), [op._replace(stage=s) for s in {0, self.stages - 1}]
        if op.kind == "optimizer-clip-main-grad":
            return (op.kind, op.number), [op._replace(replica=r, stage=s)
                                          for r in range(self.replicas) for s in range(self.stages)]
        return None

    def order_of_stage(self, stage):
        """{(kind, number): those that must have ended before it begins} on one worker of the stage."""
        step = self.steps[min(self.steps)]
        there = {(op.kind, op.number): times[0] for op, times in step.items() if op.replica == 0 and op.stage == stage}
        before = collections.defaultdict(list)
        computes = sorted((key for key in there if key[0] in ("forward-compute", "backward-compute")), key=there.get)
        for earlier, later in zip([("params-all-gather", 0)] + computes, computes):
            before[later].append(earlier)
        turn = next(i for i, key in enumerate(computes) if key[0] == "backward-compute")
        for kind, number in there:
            way, _, side = kind.rpartition("-")
            if side == "recv":  # the buffer is free again once the last one was used
                before[way + "-compute", number].append((kind, number))
                if number:
                    before[kind, number] += [(kind, number - 1), (way + "-compute", number - 1)]
            elif side == "send":
                before[kind, number].append((way + "-compute", number))
                if number:
                    before[kind, number].append((kind, number - 1))
            if side in ("send", "recv") and way == "backward" and not number and turn >= 2:
                before[kind, number].append(computes[turn - 2])  # the first way back is asked for in the steady part
        last = computes[-1]
        for kind in AT_THE_END:
            if (kind, 0) in there:
                before[kind, 0].append(last)
                last = (kind, 0)
        return before

    def own_seconds(self, step):
        """{Op: what it takes beside waiting for those it meets}."""
        ops, own = self.steps[step], {}
        for op, (begin, end) in ops.items():
            meeting = self.meeting(op)
            if meeting:
                begin = max(ops[other][0] for other in meeting[1] if other in ops)
            own[op] = max(0, end - begin)
        return own


def write_graph(out, job, step, seconds):
    """seconds: of an Op. Begin and end of an operation are the nodes 2 i and 2 i + 1; meetings come behind."""
    ops = job.steps[step]
    place = {op: i for i, op in enumerate(ops)}
    met, edges = {}, []
    for op, i in place.items():
        ns = round(1e9 * seconds(op))
        meeting = job.meeting(op)
        if meeting:
            node = met.setdefault(meeting[0], 2 * len(ops) + len(met))
            edges += [(2 * i, node, 0), (node, 2 * i + 1, ns)]
        else:
            edges.append((2 * i, 2 * i + 1, ns))
        for kind, number in job.before[op.stage].get((op.kind, op.number), ()):
            earlier = place.get(op._replace(kind=kind, number=number))
            if earlier is not None:
                edges.append((2 * earlier + 1, 2 * i, 0))
    out.write(f"nodes {2 * len(ops) + len(met)}\n")
    out.writelines(f"{src} {dst} {ns}\n" for src, dst, ns in edges)


def replay(replay_graph, job):
    """The mean step and the ideal one, in seconds, and edges that close a circle."""
    own = {step: job.own_seconds(step) for step in job.steps}
    samples = collections.defaultdict(list)
    for of_step in own.values():
        for op, seconds in of_step.items():
            samples[op.kind].append(seconds)
    usual = {kind: statistics.mean(v) if kind in COMPUTES else statistics.median(v) for kind, v in samples.items()}
    with tempfile.NamedTemporaryFile("w", suffix=".graph") as out:
        for step in job.steps:
            write_graph(out, job, step, own[step].__getitem__)
        write_graph(out, job, min(job.steps), lambda op: usual[op.kind])
        out.flush()
        lines = subprocess.run([replay_graph, out.name], check=True, capture_output=True, text=True).stdout.splitlines()
    ends = [int(line.split()[0]) / 1e9 for line in lines]
    return statistics.mean(ends[:-1]), ends[-1], sum(int(line.split()[2]) for line in lines)


def main():
    root = sys.argv[2] if len(sys.argv) > 2 else "."
    folder = os.path.join(root, "../shared/traces/straggler/data")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        print("skipped: no pyarrow")
        return 77
    if not os.path.isdir(folder):
        print(f"skipped: no {folder}")
        return 77
    worst, result = 0, {}
    for name in JOBS:
        with open(f"{folder}/result-{name}.json") as f:
            listed = json.load(f)["blocking_slowdown"]
        job = Job(f"{folder}/trace-{name}.parquet")
        mean, ideal, circles = replay(sys.argv[1], job)
        measured = statistics.mean(max(t[1] for t in ops.values()) - min(t[0] for t in ops.values())
                                   for ops in job.steps.values())
        off = mean / ideal / listed - 1
        worst = max(worst, abs(off))
        result[name] = round(mean / ideal, 4)
        print(f"{name}: {job.replicas * job.stages} workers, {len(job.steps)} steps of {measured:.4f} s, replayed "
              f"{mean:.4f} s ({100 * (mean / measured - 1):+.2f} %), without stragglers {ideal:.4f} s: slowdown "
              f"{mean / ideal:.4f}, listed {listed:.4f} ({100 * off:+.2f} %), {circles} circles")
    print(json.dumps({"slowdown": result, "worst_error_frac": round(worst, 6)}))
    return 1 if worst > ALLOWED_FRAC else 0


if __name__ == "__main__":
    sys.exit(main())
