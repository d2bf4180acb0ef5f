"""Profiler traces: JSON that lies, nests or repeats, compressed files that grow without end, and the malformed corpus of
tests/tools/malformed beside them."""
import gzip
import json
import struct
import subprocess
import zlib

from . import Hostile, file, mutated
from .payloads import PAYLOADS

MIB = 1 << 20


def _trace(events, **more):
    return json.dumps({"schemaVersion": 1, "traceEvents": events, **more})


def _event(name="x", at=0, **more):
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 1, **more}


def _numbers():
    """Numbers in the places where a trace has them, as they are written."""
    for number in ("1e308", "-1e308", "1e999", "1e-999", "9223372036854775807", "-9223372036854775808",
                   "18446744073709551616", "1" * 5000, "0." + "0" * 5000 + "1", "1e" + "9" * 500, "-0", "0x10", "NaN", "Infinity",
                   "null", "[]", "{}", '"1"', '""', "true", "01", "1.", ".5", "+1", "1e", "--1"):
        for key in ("ts", "dur", "pid", "tid"):
            yield file(f"number/{key}={number[:24]}.json", '{"traceEvents":[' + ",".join(
                json.dumps(_event(at=i)).replace(f'"{key}": {1 if key != "ts" else i}', f'"{key}": {number}', 1)
                for i in range(20)) + "]}")
        for key in ("correlation", "External id", "stream", "device", "Sequence number", "bytes", "Input Dims"):
            yield file(f"number/args.{key}={number[:24]}.json", '{"traceEvents":[' + ",".join(
                json.dumps(_event(at=i, args={key: "VALUE"})).replace('"VALUE"', number) for i in range(20)) + "]}")


def _shapes():
    for depth in (100, 10_000, 1_000_000):
        yield file(f"shape/arrays-{depth}.json", lambda depth=depth: "[" * depth)
        yield file(f"shape/objects-{depth}.json", lambda depth=depth: '{"a":' * depth)
        yield file(f"shape/closed-{depth}.json", '{"traceEvents":[{"ph":"X","args":' + "[" * depth + "]" * depth + "}]}")
        yield file(f"shape/dims-{depth}.json", _trace([_event(args={"Input Dims": 0})]).replace(
            '"Input Dims": 0', '"Input Dims": ' + "[" * depth + "]" * depth))
    for size in (1 << 16, 16 * MIB, 64 * MIB):
        yield file(f"shape/name-{size}.json", lambda size=size: _trace([_event("x" * size)]))
        yield file(f"shape/key-{size}.json", lambda size=size: _trace([{**_event(), "k" * size: 1}]))
        yield file(f"shape/escapes-{size}.json", lambda size=size: _trace([_event()]).replace('"x"', '"' + "\\u0041" * (size // 6)
                                                                                              + '"'))
        yield file(f"shape/never-closed-{size}.json", lambda size=size: '{"traceEvents":[{"name":"' + "x" * size)
        yield file(f"shape/spaces-{size}.json", lambda size=size: '{"traceEvents":[' + " " * size + "]}")
        yield file(f"shape/digits-{size}.json", lambda size=size: '{"traceEvents":[{"ph":"X","ts":' + "1" * size + "}]}")
    yield file("shape/twice.json", '{"traceEvents":[],"traceEvents":' + json.dumps([_event()] * 100) + ',"traceEvents":3}')
    yield file("shape/keys-twice.json", '{"traceEvents":[' + ",".join(
        ['{"ph":"X","ph":"B","name":"a","name":"b","ts":1,"ts":2,"dur":1,"dur":-1,"pid":1,"tid":1}'] * 1000) + "]}")
    yield file("shape/no-events.json", _trace([]))
    yield file("shape/not-a-list.json", '{"traceEvents":{"0":{}}}')
    yield file("shape/empty.json", b"")
    yield file("shape/nul.json", b"\0" * 100000)
    yield file("shape/utf16.json", _trace([_event()]).encode("utf-16"))
    yield file("shape/bom.json", b"\xef\xbb\xbf" + _trace([_event()]).encode())


def _many():
    """What grows with the number of different things: names, lanes, processes, open spans."""
    yield file("many/names.json", lambda: _trace([_event(f"n{i}", i) for i in range(200_000)]))
    yield file("many/threads.json", lambda: _trace([_event("x", i, tid=i) for i in range(100_000)]))
    yield file("many/processes.json", lambda: _trace([_event("x", i, pid=i, tid=i) for i in range(100_000)]))
    yield file("many/nested.json", lambda: _trace([_event("x", i, dur=10 ** 6 - 2 * i) for i in range(100_000)]))
    yield file("many/open.json", lambda: _trace([{**_event("x", i), "ph": "B"} for i in range(100_000)]))
    yield file("many/ends.json", lambda: _trace([{**_event("x", i), "ph": "E"} for i in range(100_000)]))
    yield file("many/same-time.json", lambda: _trace([_event("x", 5) for _ in range(100_000)]))
    yield file("many/backwards.json", lambda: _trace([_event("x", 100_000 - i) for i in range(100_000)]))
    yield file("many/streams.json", lambda: _trace([_event("k", i, cat="kernel", tid=i, args={"stream": i, "device": i, "correlation": 1})
                                                    for i in range(50_000)]))
    yield file("many/correlations.json", lambda: _trace([_event("cudaLaunchKernel", i, cat="cuda_runtime", args={"correlation": 7})
                                                         for i in range(50_000)]))
    yield file("many/steps.json", lambda: _trace([_event(f"ProfilerStep#{i}", i * 10, dur=9) for i in range(50_000)]))
    yield file("many/one-step-twice.json", lambda: _trace([_event("ProfilerStep#1", i * 5, dur=9) for i in range(20_000)]))
    yield file("many/flows.json", lambda: _trace([{"ph": "s" if i % 2 else "f", "id": i // 2, "pid": 1, "tid": 1, "ts": i, "name": "f",
                                                   "cat": "ac2g"} for i in range(100_000)]))
    yield file("many/frames.json", lambda: _trace([_event(f"a.py({i}): f", i, cat="python_function", dur=10 ** 6 - 2 * i, args={
        "Python id": i, "Python parent id": i + 1}) for i in range(50_000)]))
    yield file("many/collectives.json", lambda: _trace([_event("ncclKernel_AllReduce", i * 3, cat="kernel", args={
        "Collective name": "allreduce", "Process Group Ranks": "[" + "1, " * 500 + "...]", "Group size": 10 ** 9, "In msg nelems": 2 ** 62,
        "dtype": "Float"}) for i in range(2000)]))
    yield file("many/far-apart.json", lambda: _trace([_event("x", i * 10 ** 15) for i in range(1000)]))


# --- compressed

def _rle_zstd(byte, size):
    """A zstd frame of blocks that say "128 KB of this byte": 4 bytes each."""
    frame = b"\x28\xb5\x2f\xfd\x00\x38"
    blocks = size // (128 * 1024)
    block = struct.pack("<I", (128 * 1024) << 3 | 1 << 1)[:3] + byte
    last = struct.pack("<I", (128 * 1024) << 3 | 1 << 1 | 1)[:3] + byte
    return frame + block * max(0, blocks - 1) + last


def _gzip_of(byte, size):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = byte * MIB
    return b"".join(squeeze.compress(piece) for _ in range(size // MIB)) + squeeze.flush()


def _compressed(seeds):
    good = seeds.trace.read_bytes()
    packed = gzip.compress(good, mtime=0)
    for what, byte in (("spaces", b" "), ("nul", b"\0"), ("open", b"["), ("digits", b"1"), ("quotes", b'"'), ("braces", b"{"),
                       ("closed", b"]")):
        for size in (64 * MIB, 1024 * MIB):
            yield file(f"bomb/{what}-{size // MIB}M.json.gz", lambda byte=byte, size=size: _gzip_of(byte, size))
            yield file(f"bomb/{what}-{size // MIB}M.json.zst", lambda byte=byte, size=size: _rle_zstd(byte, size))
    for what, text in (("args", b'{"args":{'), ("events", b'{"ph":"X",'), ("nothing", b"{},"), ("numbers", b"1,")):
        piece = text * (MIB // len(text))  # packed lightly, so that what it unpacks to is read
        yield file(f"bomb/{what}-in-events-512M.json.gz",
                   lambda piece=piece: gzip.compress(b'{"traceEvents":[' + piece * 512, 1, mtime=0))
    yield file("bomb/spaces-32G.json.zst", lambda: _rle_zstd(b" ", 32 << 30))
    yield file("bomb/open-32G.json.zst", lambda: _rle_zstd(b"[", 32 << 30))
    yield file("bomb/name-32G.json.zst", lambda: _raw_zstd(b'{"traceEvents":[{"ph":"X","name":"') + _rle_zstd(b"x", 32 << 30))
    yield file("bomb/members.json.gz", lambda: gzip.compress(b"", mtime=0) * 100_000)
    yield file("bomb/frames.json.zst", lambda: b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00" * 200_000)
    yield file("bomb/skipped-frames.json.zst", lambda: b"\x50\x2a\x4d\x18\xff\xff\xff\xff" + b"x" * 1000)
    yield file("bomb/zip-in-zip.json.gz", lambda: gzip.compress(gzip.compress(packed, mtime=0), mtime=0))
    for exponent in (20, 27, 31):
        window = bytes([(exponent - 10) << 3])
        yield file(f"bomb/window-{exponent}.json.zst", b"\x28\xb5\x2f\xfd\x00" + window + b"\x03\x00\x00 ")
    yield file("lie/size.json.zst", b"\x28\xb5\x2f\xfd\xc0\x38" + struct.pack("<Q", 2 ** 63) + b"\x01\x00\x00")
    yield file("lie/length.json.gz", packed[:-4] + struct.pack("<I", 0xFFFFFFFF))
    yield file("lie/checksum.json.gz", packed[:-8] + b"\0\0\0\0" + packed[-4:])
    yield file("lie/name-without-end.json.gz", b"\x1f\x8b\x08\x08\0\0\0\0\0\3" + b"x" * MIB)
    yield file("lie/extra.json.gz", b"\x1f\x8b\x08\x04\0\0\0\0\0\3\xff\xff" + b"x" * 100)
    yield file("lie/method.json.gz", b"\x1f\x8b\x09" + packed[3:])
    yield file("lie/plain.json.gz", good)
    yield file("lie/packed.json", packed)
    for n in (1, 5, 10, 18, len(packed) // 2, len(packed) - 8, len(packed) - 1):
        yield file(f"cut/{n}.json.gz", packed[:n])
    for n in range(0, len(good), max(1, len(good) // 30)):
        yield file(f"cut/{n}.json", good[:n])


def _raw_zstd(data):
    """A zstd frame that holds data as it is."""
    return b"\x28\xb5\x2f\xfd\x00\x38" + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def _named(seeds):
    for name in ("<img src=x onerror=alert(1)>", "a b", "-", "--json", "é", "\x1b[31m", "%s%n", "x" * 200, "@list", "*"):
        def write(folder, name=name):
            (folder / f"{name}.json").write_bytes(seeds.trace.read_bytes())
            return str(folder / f"{name}.json")
        yield Hostile(f"named/{name[:20]!r}", write)


def _malformed(seeds):
    """The committed corpus of malformed traces, written by its own tool."""
    def write_one(folder, i):
        tool = seeds.root / "build" / "tests" / "check_malformed"
        whole = folder / "all"
        whole.mkdir()
        subprocess.run([tool, "--write", whole, "40"], check=True, stdout=subprocess.DEVNULL)
        names = sorted(p for p in whole.iterdir() if p.name != "expected")
        return str(names[i % len(names)])
    if (seeds.root / "build" / "tests" / "check_malformed").exists():
        for i in range(28):
            yield Hostile(f"malformed/{i}", lambda folder, i=i: write_one(folder, i))


def _payloads():
    for n, p in enumerate(PAYLOADS):
        yield file(f"name/{n}.json", _trace([_event(p, i) for i in range(9)]))


def handmade(seeds):
    return [*_compressed(seeds), *_shapes(), *_many(), *_named(seeds), *_malformed(seeds), *_payloads(), *_numbers()]


def random(seeds, rng, i):
    data = mutated(seeds.trace.read_bytes(), rng)
    if rng.random() < 0.3:
        packed = gzip.compress(data, mtime=0)
        return file(f"random/{i}.json.gz", mutated(packed, rng) if rng.random() < 0.5 else packed)
    return file(f"random/{i}.json", data)


def commands(at, out, seeds):
    good = str(seeds.trace)
    return [("analyze", ["analyze", at]), ("analyze --json", ["analyze", "--json", at]),
            ("report", ["report", at, "-o", f"{out}/r.html"]), ("explain", ["explain", at]),
            ("whatif", ["whatif", at, "no-wait", "remove op:*"]), ("import", ["import", at, "-o", f"{out}/i.gait"]),
            ("export --chrome", ["export", at, "--chrome", "-o", f"{out}/c.json"]), ("verify", ["verify", good, at]),
            ("analyze --compare", ["analyze", "--compare", at, good])]
