#!/usr/bin/env python3
"""What a step's time goes to, and the largest cause: an independent reading of raw traces. docs/expert.md has the definitions.

    tests/expert/largest_cause.py [--parts | --json] TRACE…

A row per trace; --parts: also every part of 2 % and more; --json: a line of JSON per trace instead, for compare_cause.py.

A folder in place of a file is a job of several ranks: exposed communication is then split into waiting for the last rank and transfer.
"""
import bisect
import json
import os
import re
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from raw import CALLS, DEVICE, Trace
from step_time import step_of

EVENTS_MIN = 100  # fewer: a fixture cut by hand, whose parts are not those of a job
OUTLIER = 2.0  # marked steps longer than so many medians are left out
LATENCY_US = 20.0  # from launch to start on an idle device
STRETCH_US = 1000.0  # the host thread in no operator or call for this long: host code, not dispatch
HOST_OP_US = 200.0  # an operator that launches nothing and takes this long computes on the CPU
SLOW_CALL_US = 1000.0  # a call that neither waits nor allocates and takes this long: start-up work of the driver
NEAR = 0.9  # parts this close to the largest are as large

INPUT = re.compile(r"DataLoader|dataloader\.py|preprocess|collate|image_processing|feature_extraction|tokeniz|transforms|"
                   r"load_(image|video|data)|dataset", re.I)
WAITS = re.compile(r"Synchronize$|^(cuda|hip)Memcpy(WithStream|DtoH|HtoD)?$|^synchronize", re.I)
COPIES = re.compile(r"Memcpy.*Async")
ALLOCATES = re.compile(r"^(cuda|hip)(Malloc|Free|Host(Alloc|Malloc|Free))|^cuMem(Alloc|Free|Create|Map|Release|Unmap)")
LAUNCHES = re.compile(r"Launch|Memcpy|Memset|runFunction")
MARKLIKE = re.compile(r"ProfilerStep|DataLoader\)#|^Optimizer\.|^\[param\||^## |^nccl:|^gloo:|^hccl:|^Stage::|^execute_|^step\[|"
                      r"DistributedDataParallel\.forward|^TorchDynamo Cache|model_inference")

# Kernel families by name; the first that matches.
FAMILIES = [(family, re.compile(pattern, re.I)) for family, pattern in [
    ("communication", r"nccl|rccl|all_?reduce|all_?gather|reduce_scatter|all_?to_?all|cross_device_reduce|deep_?ep|hccl"),
    ("attention", r"flash|fmha|attention|attn|sdpa|sage_fwd|\bmha_|mha_fwd|mha_bwd"),
    ("embedding", r"embedding|split_eb|_eb_|tbe_|permute_pooled|lookup"),
    ("optimizer", r"AdamFunctor|FusedAdam|FusedSgd|SGDFunctor|LAMBStage|adamw?_kernel"),
    ("norm and reduction", r"norm|bn_fw|bn_bw|reduce|softmax|welford|triton_(red|per)"),
    ("convolution", r"conv|scudnn|dgrad|wgrad|winograd|fprop|implicit_gemm|igemm|im2col|col2im|Im2d2Col|fft2d|gcgemm|cgemm|miopen|"
                    r"nchwToNhwc|nhwcToNchw|batched_transpose|SubTensorOp|gridwise|xdlops"),
    ("matmul", r"gemm|gemv|Cijk_|matmul|bmm|splitK|nvjet|wvSplit|^fc-|mm_kernel|dot_kernel|tensorop"),
    ("elementwise and copies", r"elementwise|triton_poi|copy|Cat|fill|index|gather|scatter|where|dropout|act_and_mul|rope|rotary|"
                               r"silu|gelu|vectorized|multi_tensor_apply|transpose|permute|sort|scan|dma_request"),
]]
FULL_F32 = re.compile(r"sgemm|scudnn|gcgemm|cgemm|ffma|engine<float|convolve\w*<float|fft2d\w*<float|"
                      r"winograd\w*<float, float>|Cijk_A\w{3}_B\w{3}_SB?_|gemv\w*<(int, int, )?float|gemmk1_kernel<float")
REDUCED = re.compile(r"tf32|bf16|f16|half|h884|h1688|s1688|s16816|s161616|BBS|HHS|fp8|e4m3", re.I)
TENSOR_CORES = re.compile(r"volta_|turing_|ampere_|hopper_|sm[789]\d_|cutlass_[789]\d|h884|s1688|Cijk_\w*_MI\d")


@dataclass
class Reading:
    window: float = 0.0  # µs
    whole: str = ""  # what the window is: steps or recording
    parts: dict = field(default_factory=lambda: defaultdict(float))  # class -> µs
    detail: dict = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))  # class -> what -> µs
    hidden_comm: float = 0.0
    waiting_comm: float = -1.0  # of the exposed; −1: one rank alone cannot tell

    def add(self, part, us, what=""):
        if us > 0:
            self.parts[part] += us
            if what:
                self.detail[part][what] += us

    def ranked(self):
        return sorted(self.parts.items(), key=lambda kv: -kv[1])

    def largest(self):
        return self.ranked()[0][0]

    def as_large(self):
        return {p for p, us in self.parts.items() if us >= NEAR * self.parts[self.largest()]}

    def avoidable(self):
        return [(p, us) for p, us in self.ranked() if p in AVOIDABLE]


# Parts of the window, each instant in one. AVOIDABLE: a change of the program, and not of the model or the device, takes it away.
AVOIDABLE = ["input", "blocking call", "allocation", "start-up", "host code", "host operators", "launch-bound", "device-side gap",
             "exposed communication", "f32 matmul and convolution", "elementwise and reductions", "exposed copy", "optimizer",
             "gaps between operators"]


# ---------------------------------------------------------------- the host

class Thread:
    """One host thread: which event is innermost at any time."""

    def __init__(self, events):
        self.begins, self.segments = [], []
        stack, at = [], float("-inf")

        def put(until):
            nonlocal at
            if stack and until > at:
                self.begins.append(at)
                self.segments.append((until, stack[-1][1]))
            at = max(at, until)

        for e in sorted(events, key=lambda e: (e.begin, -e.dur)):
            while stack and stack[-1][0] <= e.begin:
                put(stack[-1][0])
                stack.pop()
            put(e.begin)
            e.parent = stack[-1][1] if stack else None
            stack.append((min(e.end, stack[-1][0]) if stack else e.end, e))
        while stack:
            put(stack[-1][0])
            stack.pop()

    def pieces(self, begin, end):
        """(from, to, innermost event or None) over a range."""
        k = max(bisect.bisect_right(self.begins, begin) - 1, 0)
        at = begin
        while at < end:
            while k < len(self.begins) and self.segments[k][0] <= at:
                k += 1
            if k == len(self.begins) or self.begins[k] >= end:
                yield at, end, None
                return
            if self.begins[k] > at:
                yield at, self.begins[k], None
                at = self.begins[k]
            until = min(self.segments[k][0], end)
            yield at, until, self.segments[k][1]
            at = until


@lru_cache(maxsize=None)
def loads(name):
    return bool(INPUT.search(name))


@lru_cache(maxsize=None)
def marklike(name):
    return bool(MARKLIKE.search(name))


def is_mark(e):
    return e.cat == "user_annotation" or marklike(e.name)


def chain(e):
    while e:
        yield e
        e = e.parent


def blocking(e):
    return e.cat in CALLS and (WAITS.search(e.name) or COPIES.search(e.name) and e.dur >= 5 * LATENCY_US)


class Host:
    def __init__(self, trace):
        by_thread = defaultdict(list)
        for e in trace.events:
            e.parent, e.launches = None, False
            if e.cat in CALLS or e.cat in ("cpu_op", "user_annotation", "python_function"):
                by_thread[e.pid, e.tid].append(e)
        launching = defaultdict(int)
        for work in trace.device:
            call = trace.launch(work)
            if call:
                launching[call.pid, call.tid] += 1
        self.states = {}
        self.first_work = trace.device[0].begin if trace.device else float("-inf")
        main = [(m.pid, m.tid) for m in trace.marks()[:1]]
        if not launching:
            busy = {k: sum(e.dur for e in v if e.cat == "cpu_op") for k, v in by_thread.items()}
            launching = dict(sorted(busy.items(), key=lambda kv: -kv[1])[:1])
        order = sorted(launching, key=lambda k: -launching[k])
        self.names = order + [m for m in main if m not in order]
        self.threads = {k: Thread(by_thread[k]) for k in self.names}
        self.events = [e for k in self.names for e in by_thread[k]]
        self.waits = sorted((e for e in self.events if blocking(e)), key=lambda e: e.begin)
        self.wait_begins = [e.begin for e in self.waits]
        self.longest_wait = max((e.dur for e in self.waits), default=0)
        for e in self.events:
            if e.cat in CALLS and LAUNCHES.search(e.name):
                for up in chain(e):
                    up.launches = True
        self.active = merged((e.begin, e.end) for e in self.events if (e.cat == "cpu_op" or e.cat in CALLS) and not is_mark(e))
        self.active_begins = [a for a, _ in self.active]

    def stretch(self, at):
        """Length of the stretch around `at` in which no thread is in an operator or a call; 0 within one."""
        k = bisect.bisect_right(self.active_begins, at) - 1
        before = self.active[k][1] if k >= 0 else float("-inf")
        after = self.active[k + 1][0] if k + 1 < len(self.active) else float("inf")
        return after - before if before <= at else 0

    def drained_by(self, at):
        """The blocking call in which the host was when the device ran out of work at `at`, or that had just ended."""
        k = bisect.bisect_right(self.wait_begins, at)
        while k > 0 and self.wait_begins[k - 1] > at - self.longest_wait - LATENCY_US:
            k -= 1
            if self.waits[k].end + LATENCY_US >= at:
                return self.waits[k]
        return None

    def held(self, reading, begin, end, what):
        """Work was launched and does not start: by the blocking calls that wait for it meanwhile, else on the device's side."""
        inside = merged((max(w.begin, begin), min(w.end, end), w.name) for w in self.waits if w.begin < end and w.end > begin)
        for a, b, name in inside:
            reading.add("blocking call", b - a, name)
        reading.add("device-side gap", end - begin - sum(b - a for a, b, _ in inside), what)

    def state(self, e):
        if id(e) not in self.states:
            self.states[id(e)] = self.state_of(e)
        return self.states[id(e)]

    def state_of(self, e):
        """(class, what) of a thread's innermost event, by its whole stack; None: in no operator or call."""
        above = list(chain(e))
        told = next((x for x in above if loads(x.name) and (x.cat != "cpu_op" or is_mark(x))), None)
        if told:
            return "input", told.name
        call = next((x for x in above if x.cat in CALLS), None)
        if call and blocking(call):
            return "blocking call", call.name
        slow = call and call.dur >= SLOW_CALL_US and not call.name.startswith("runFunction")
        if slow and (not ALLOCATES.search(call.name) or call.begin < self.first_work):
            return "start-up", call.name
        if call and ALLOCATES.search(call.name):
            return "allocation", call.name
        ops = [x for x in above if x.cat == "cpu_op" and not is_mark(x)]
        alone = [x for x in ops if not x.launches]
        if alone and alone[-1].dur >= HOST_OP_US:
            return "host operators", alone[-1].name
        if ops or call:
            return "launch-bound", (ops[-1] if ops else call).name
        return None

    def idle(self, reading, thread, begin, end):
        """Credit idle time of the device to what the host did, the launching thread first."""
        order = ([thread] if thread in self.threads else []) + [n for n in self.names if n != thread]
        for a, b, e in self.threads[order[0]].pieces(begin, end) if order else [(begin, end, None)]:
            told = self.state(e) if e else None
            if told:
                reading.add(told[0], b - a, told[1])
                continue
            self.idle_others(reading, order[1:], a, b, e)

    def idle_others(self, reading, order, begin, end, frame):
        if not order:
            self.idle_code(reading, begin, end, frame)
            return
        for a, b, e in self.threads[order[0]].pieces(begin, end):
            told = self.state(e) if e else None
            if told:
                reading.add(told[0], b - a, told[1])
            else:
                self.idle_others(reading, order[1:], a, b, frame or e)

    def idle_code(self, reading, begin, end, frame):
        if self.stretch((begin + end) / 2) >= STRETCH_US:
            reading.add("host code", end - begin)
            for x in {x.name for x in chain(frame)} or {"nothing recorded"}:
                reading.detail["host code"][x] += end - begin
        else:
            reading.add("launch-bound", end - begin, "Python between operators")


# ---------------------------------------------------------------- the device

def merged(intervals):
    out = []
    for a, b, *rest in sorted(intervals):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b, *rest])
    return out


def has_tensor_cores(trace):
    for d in trace.head.get("deviceProperties") or []:
        name = str(d.get("name", ""))
        if re.search(r"MI\d", name):
            return True
        if name and "Radeon" not in name and d.get("computeMajor") is not None:
            return d["computeMajor"] >= 7
    return any(TENSOR_CORES.search(e.name) for e in trace.device)


@lru_cache(maxsize=None)
def named_family(name):
    return next((f for f, pattern in FAMILIES if pattern.search(name)), "other kernels")


def family(work, ops, tensor_cores):
    """(part, what) of device work. ops: names of the operators that launched it, innermost first."""
    if work.cat in ("gpu_memcpy", "gpu_memset"):
        return "exposed copy", re.sub(r"\s*\(.*", "", work.name) + (" pageable" if "Pageable" in work.name else "")
    name = named_family(work.name)
    if name != "communication" and any("attention" in o and "::" in o for o in ops):
        name = "attention"
    if name == "communication":
        return "exposed communication", work.name.split("(")[0][:60]
    if name in ("matmul", "convolution"):
        f32 = FULL_F32.search(work.name) and not REDUCED.search(work.name)
        if f32 and tensor_cores:
            return "f32 matmul and convolution", name
        return "compute: " + name, ""
    if name == "attention":
        return "compute: attention", ""
    if name == "optimizer" or any(o.startswith("Optimizer.step") for o in ops):
        return "optimizer", ""
    if name in ("norm and reduction", "elementwise and copies"):
        return "elementwise and reductions", name
    return "compute: " + name, ""


PRIORITY = {"exposed communication": 2, "exposed copy": 1}  # else 0: communication and copies count only where nothing computes


def busy_pieces(items):
    """items: (begin, end, (part, what)). Yields (begin, end, part, what, hides communication) where the device works, each instant once."""
    edges = sorted([(b, 1, k) for k, (b, e, _) in enumerate(items) if e > b] + [(e, 0, k) for k, (b, e, _) in enumerate(items) if e > b])
    open_, at = set(), None
    for t, starts, k in edges:
        if open_ and t > at:
            best = min(open_, key=lambda j: (PRIORITY.get(items[j][2][0], 0), j))
            hides = items[best][2][0] != "exposed communication" and any(items[j][2][0] == "exposed communication" for j in open_)
            yield at, t, *items[best][2], hides
        at = t
        if starts:
            open_.add(k)
        else:
            open_.discard(k)


# ---------------------------------------------------------------- the window

def windows(trace):
    marks = trace.marks()
    if marks:
        middle = statistics.median(m.dur for m in marks)
        kept = [m for m in marks if m.dur <= OUTLIER * middle]
        if step_of(trace)[1] == "device":
            works = [w for w in trace.device if (c := trace.launch(w)) and any(m.begin <= c.begin < m.end for m in kept)]
            if works:
                return [(min(w.begin for w in works), max(w.end for w in works))], f"{len(kept)} steps, by the device"
        return [(m.begin, m.end) for m in kept], f"{len(kept)} step{'s' * (len(kept) > 1)}"
    told = [e for e in trace.events if e.cat in CALLS or e.cat in DEVICE or e.cat in ("cpu_op", "user_annotation")]
    frames = [e for e in trace.events if e.cat == "python_function" and "profiler" not in e.name]
    begin = min(e.begin for e in told + frames)
    return [(begin, max(e.end for e in told))], "recording"


def works_of(trace):
    """Work of the device that is busiest."""
    busy = defaultdict(float)
    for w in trace.device:
        busy[w.pid] += w.dur
    if not busy:
        return []
    first = max(busy, key=busy.get)
    return [w for w in trace.device if w.pid == first and "event_wait" not in w.name]


def read(trace, waits=None):
    """The reading of one rank. waits: of a communication kernel (by id) the µs it waited for other ranks."""
    reading = Reading()
    host = Host(trace)
    spans, reading.whole = windows(trace)
    reading.window = sum(b - a for a, b in spans)
    works = works_of(trace)
    if not works:
        read_cpu(reading, host, spans)
        return reading
    cores = has_tensor_cores(trace)
    items = []
    for w in works:
        call = trace.launch(w)
        ops = [x.name for x in chain(call)] if call else []
        items.append((w.begin, w.end, family(w, ops, cores), w, call))
    items.sort(key=lambda i: i[0])
    begins = [i[0] for i in items]
    if waits is not None:
        reading.waiting_comm = 0.0
    for a, b in spans:
        at = a
        inside = [(max(i[0], a), min(i[1], b), i[2]) for i in items if i[1] > a and i[0] < b]
        kept = [i for i in items if i[1] > a and i[0] < b and min(i[1], b) > max(i[0], a)]
        for begin, end, part, what, hides in busy_pieces(inside):
            gap(reading, trace, host, items, begins, at, begin)
            if hides:
                reading.hidden_comm += end - begin
            reading.add(part, end - begin, what)
            if part == "exposed communication" and waits is not None:
                for i in kept:
                    if i[2][0] == part and i[0] <= begin < i[1] and id(i[3]) in waits:
                        reading.waiting_comm += max(0.0, min(end, i[0] + waits[id(i[3])]) - begin)
                        break
            at = max(at, end)
        gap(reading, trace, host, items, begins, at, b)
    return reading


def gap(reading, trace, host, items, begins, begin, end):
    """The device has nothing to do from begin to end: why?"""
    if end - begin <= 0:
        return
    k = bisect.bisect_left(begins, end)
    call = items[k][4] if k < len(items) and items[k][0] == end else None
    wait = host.drained_by(begin)
    if wait:
        part = min(end - begin, wait.dur)
        reading.add("blocking call", part, wait.name)
        begin += part
    if call and begin < end:
        launched = call.end if call.dur > LATENCY_US else call.begin
        started = launched + LATENCY_US
        if started < end:  # had long been launched: not the host's
            late = max(begin, started)
            host.held(reading, late, end, items[k][3].name.split("(")[0][:60])
            end = late
        if max(begin, launched) < end:
            reading.add("launch-bound", end - max(begin, launched), "launch latency")
            end = max(begin, launched)
    if begin < end:
        host.idle(reading, (call.pid, call.tid) if call else None, begin, end)


CPU_FAMILIES = [(f, re.compile(p, re.I)) for f, p in [
    ("compute: convolution", r"conv"), ("compute: matmul", r"mm$|matmul|linear|gemm|dot"), ("compute: attention", r"attention"),
    ("compute: embedding", r"embedding|split_eb|lookup"), ("optimizer", r"optim|adam|adagrad|sgd")]]


def read_cpu(reading, host, spans):
    """No device in the trace: operators by family, and what lies between them."""
    for a, b in spans:
        for begin, end, e in host.threads[host.names[0]].pieces(a, b) if host.names else []:
            ops = [x for x in chain(e) if x.cat == "cpu_op" and not is_mark(x)]
            told = next((x.name for x in chain(e) if loads(x.name) and is_mark(x)), None)
            if told:
                reading.add("input", end - begin, told)
            elif ops:
                part = next((f for x in ops for f, p in CPU_FAMILIES if p.search(x.name)), "other operators")
                reading.add(part, end - begin, ops[0].name)
            else:
                reading.add("gaps between operators", end - begin, next((x.name for x in chain(e)), "nothing recorded"))


# ---------------------------------------------------------------- several ranks

def waits_of(traces):
    """For each rank: {id of communication kernel: µs waited}. Collectives are the same number on every rank; their ends agree."""
    ranks = [[w for w in t.device if re.search(FAMILIES[0][1], w.name)] for t in traces]
    if len({len(r) for r in ranks}) != 1 or not ranks[0]:
        return None
    shift = [statistics.median(w.end - z.end for w, z in zip(r, ranks[0])) for r in ranks]
    out = [{} for _ in traces]
    for k in range(len(ranks[0])):
        last = max(r[k].begin - s for r, s in zip(ranks, shift))
        for j, (r, s) in enumerate(zip(ranks, shift)):
            out[j][id(r[k])] = max(0.0, min(last - (r[k].begin - s), r[k].dur))
    return out


def read_job(folder):
    traces = [Trace(os.path.join(folder, n)) for n in sorted(os.listdir(folder)) if n.endswith((".json", ".json.gz"))]
    waits = waits_of(traces)
    whole = Reading(whole=f"{len(traces)} ranks", waiting_comm=0.0 if waits else -1.0)
    for k, trace in enumerate(traces):
        one = read(trace, waits[k] if waits else None)
        whole.window += one.window
        whole.hidden_comm += one.hidden_comm
        if waits:
            whole.waiting_comm += one.waiting_comm
        for part, us in one.parts.items():
            whole.add(part, us)
            for what, t in one.detail[part].items():
                whole.detail[part][what] += t
    return whole


def reading_of(path):
    """None where the file is no trace of a job."""
    if os.path.isdir(path):
        return read_job(path)
    trace = Trace(path)
    if len(trace.events) < EVENTS_MIN or not any(e.cat in DEVICE or e.cat == "cpu_op" for e in trace.events):
        return None
    return read(trace)


def detail(reading, part):
    """The longest-named thing within a part: for host code, the innermost frame that holds 80 % of it."""
    found = reading.detail.get(part)
    if not found:
        return ""
    total = reading.parts[part]
    if part == "host code":
        deep = [n for n, us in found.items() if us >= 0.8 * total and not n.startswith("ProfilerStep")]
        return min(deep, key=lambda n: (found[n], n)) if deep else max(sorted(found), key=found.get)
    return max(found, key=found.get)


def shown(reading, part):
    us = reading.parts[part]
    what = detail(reading, part)
    return f"{part} {us / 1e3:.2f} ms, {100 * us / reading.window:.0f} %" + (f" ({what[:70]})" if what else "")


def as_json(path, reading):
    return json.dumps({
        "path": path, "window_ms": reading.window / 1e3, "whole": reading.whole, "as_large": sorted(reading.as_large()),
        "hidden_communication_ms": reading.hidden_comm / 1e3,
        "waiting_ms": reading.waiting_comm / 1e3 if reading.waiting_comm >= 0 else None,
        "parts": [{"part": p, "ms": us / 1e3, "frac": us / reading.window, "what": detail(reading, p), "avoidable": p in AVOIDABLE}
                  for p, us in reading.ranked()]})


def show(path, reading, parts):
    avoidable = reading.avoidable()
    print(f"{path.partition('/traces/')[2] or path} | {reading.window / 1e3:.2f} ms, {reading.whole} | {shown(reading, reading.largest())} | "
          f"{shown(reading, avoidable[0][0]) if avoidable else '-'}", flush=True)
    if parts:
        for part, us in reading.ranked():
            if us >= 0.02 * reading.window:
                print(f"    {shown(reading, part)}")
        print(f"    sum {100 * sum(reading.parts.values()) / reading.window:.1f} %, communication hidden {reading.hidden_comm / 1e3:.2f} ms"
              + (f", exposed of it waiting {reading.waiting_comm / 1e3:.2f} ms" if reading.waiting_comm >= 0 else ""))


def main():
    options = {a for a in sys.argv[1:] if a.startswith("--")}
    for path in (a for a in sys.argv[1:] if a not in options):
        try:
            reading = reading_of(path)
        except (ValueError, KeyError, TypeError, EOFError) as e:
            print(f"{path}: not read: {e}", file=sys.stderr)
            continue
        if not reading or not reading.parts:
            continue
        if "--json" in options:
            print(as_json(path, reading), flush=True)
        else:
            show(path, reading, "--parts" in options)


if __name__ == "__main__":
    main()
