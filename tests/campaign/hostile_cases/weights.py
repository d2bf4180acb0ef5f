"""Hugging Face folders: safetensors whose headers lie, configs, indexes that lead out of the folder, links."""
import json
import os
import shutil
import struct

from . import Hostile, mutated


def _folder(seeds, name, change):
    """The good folder, changed."""
    def write(folder):
        at = folder / "model"
        shutil.copytree(seeds.weights, at)
        change(at)
        return str(at)
    return Hostile(name, write)


def _header(at):
    data = (at / "model.safetensors").read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + n]), data[8 + n:]


def _put(at, header, body, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    (at / "model.safetensors").write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + body)


def _lies(seeds):
    def with_header(name, change, length=None):
        def apply(at):
            header, body = _header(at)
            _put(at, change(header) or header, body, length)
        return _folder(seeds, f"header/{name}", apply)

    for length in (0, 1, 7, 100, 2 ** 31, 2 ** 32, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1, 100_000_000, 99_999_999):
        yield with_header(f"length-{length}", lambda h: None, length)
    for depth in (100, 100_000):
        yield with_header(f"deep-{depth}", lambda h, d=depth: b'{"a":' * d + b"1" + b"}" * d)
        yield with_header(f"deep-metadata-{depth}", lambda h, d=depth: b'{"__metadata__":' + b"[" * d + b"]" * d + b"}")
    yield with_header("not-json", lambda h: b"\xff" * 100)
    yield with_header("empty", lambda h: b"{}")
    yield with_header("array", lambda h: b"[]")
    yield with_header("spaces-20M", lambda h: b" " * 20_000_000 + b"{}")
    yield with_header("200000-tensors", lambda h: json.dumps(
        {f"t{i}": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(200_000)}).encode())
    yield with_header("name-of-10M", lambda h: json.dumps(
        {"x" * 10_000_000: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}).encode())
    yield with_header("metadata-of-10M", lambda h: json.dumps({"__metadata__": {"x" * 5_000_000: "y" * 5_000_000}, **h}).encode())
    yield with_header("twice", lambda h: (json.dumps(h)[:-1] + "," + json.dumps(h)[1:]).encode())

    for value in ([0, 2 ** 63], [2 ** 64, 2 ** 65], [-1, 4], [4, 0], [0, 0], [0], [], "x", None, [0.5, 4.5], [0, 1e300], [[0], 1]):
        yield with_header(f"offsets-{value}", lambda h, v=value: h[max(h)].update(data_offsets=v) if "__" not in max(h) else None)
    for value in ([2 ** 32, 2 ** 32], [2 ** 63, 2], [0, 2 ** 63], [-1], [1] * 100_000, [], None, "x", [1.5], [2 ** 200], {}):
        text = str(value)[:24]
        yield with_header(f"shape-{text}", lambda h, v=value: h[max(h)].update(shape=v))
    for value in ("F64", "I64", "BOOL", "F8_E4M3", "", "x" * 100_000, None, 4, "f32"):
        yield with_header(f"dtype-{str(value)[:12]}", lambda h, v=value: h[max(h)].update(dtype=v))
    yield with_header("all-share-bytes", lambda h: [t.update(data_offsets=[0, t["data_offsets"][1] - t["data_offsets"][0]])
                                                    for k, t in h.items() if k != "__metadata__"] and None)
    for n in (0, 4, 8, 9, 100):
        yield _folder(seeds, f"header/file-of-{n}", lambda at, n=n: os.truncate(at / "model.safetensors", n))
    yield _folder(seeds, "header/body-missing", lambda at: _put(at, _header(at)[0], b""))
    yield _folder(seeds, "header/body-longer", lambda at: _put(at, _header(at)[0], _header(at)[1] + b"x" * 100_000))
    yield _folder(seeds, "header/nan", lambda at: _put(at, _header(at)[0], b"\xff" * len(_header(at)[1])))
    yield _folder(seeds, "header/infinity", lambda at: _put(at, _header(at)[0], b"\0\0\x80\x7f" * (len(_header(at)[1]) // 4)))
    yield _folder(seeds, "header/sparse-100G", lambda at: os.truncate(at / "model.safetensors", 100 << 30))


def _configs(seeds):
    def setting(key, value):
        def apply(at):
            config = json.loads((at / "config.json").read_text())
            config[key] = value
            (at / "config.json").write_text(json.dumps(config))
        return _folder(seeds, f"config/{key}={str(value)[:24]}", apply)

    keys = ["n_layer", "n_head", "n_embd", "n_positions", "n_ctx", "n_inner", "vocab_size", "eos_token_id", "layer_norm_epsilon",
            "model_type", "architectures", "activation_function", "torch_dtype", "tie_word_embeddings"]
    for key in keys:
        for value in (0, -1, 2 ** 31, 2 ** 63, 1e300, 1.5, None, "x", [], {}, True, 10 ** 7):
            yield setting(key, value)
    for depth in (1000, 1_000_000):
        yield _folder(seeds, f"config/deep-{depth}", lambda at, d=depth: (at / "config.json").write_text('{"a":' * d))
    yield _folder(seeds, "config/of-64M", lambda at: (at / "config.json").write_text('{"a":"' + "x" * (64 << 20) + '"}'))
    yield _folder(seeds, "config/empty", lambda at: (at / "config.json").write_text(""))
    yield _folder(seeds, "config/binary", lambda at: (at / "config.json").write_bytes(bytes(range(256)) * 100))
    yield _folder(seeds, "config/missing", lambda at: (at / "config.json").unlink())
    yield _folder(seeds, "config/a-folder", lambda at: ((at / "config.json").unlink(), (at / "config.json").mkdir()))


def _indexes(seeds):
    def index(name, content, more=lambda at: None):
        def apply(at):
            names = [k for k in _header(at)[0] if k != "__metadata__"]
            (at / "model.safetensors").rename(at / "model-00001-of-00001.safetensors")
            text = content(names)
            (at / "model.safetensors.index.json").write_text(text if isinstance(text, str) else json.dumps(text))
            more(at)
        return _folder(seeds, f"index/{name}", apply)

    for path in ("../../../../../../etc/passwd", "/etc/passwd", "..", ".", "", "./model-00001-of-00001.safetensors",
                 "x/../../x", "a\0b", "\\..\\x", "x" * 5000, "//etc/passwd", "config.json", "CON", "~/.bashrc",
                 "file:///etc/passwd", "$(id)", "model-00001-of-00001.safetensors/"):
        yield index(f"path-{path[:20]!r}", lambda names, p=path: {"metadata": {}, "weight_map": {n: p for n in names}})
    yield index("not-a-map", lambda names: {"weight_map": [1, 2]})
    yield index("empty", lambda names: {})
    yield index("deep", lambda names: "[" * 1_000_000)
    yield index("unknown-names", lambda names: {"weight_map": {f"x{i}": "model-00001-of-00001.safetensors" for i in range(100_000)}})
    yield index("10000-files", lambda names: {"weight_map": {f"x{i}": f"f{i}.safetensors" for i in range(10_000)}})
    yield index("numbers", lambda names: {"weight_map": {n: 7 for n in names}})
    yield index("link-out", lambda names: {"weight_map": {n: "l.safetensors" for n in names}},
                lambda at: (at / "l.safetensors").symlink_to("/etc/passwd"))


def _links(seeds):
    for name in ("config.json", "model.safetensors"):
        for target in ("/etc/passwd", name, "/", "/nonexistent"):
            def apply(at, name=name, target=target):
                (at / name).unlink()
                (at / name).symlink_to(target)
            yield _folder(seeds, f"link/{name}-to-{target}", apply)


def handmade(seeds):
    return [*_lies(seeds), *_indexes(seeds), *_links(seeds), *_configs(seeds)]


def random(seeds, rng, i):
    name = rng.choice(["model.safetensors", "model.safetensors", "config.json"])
    good = (seeds.weights / name).read_bytes()
    if name == "config.json" or rng.random() < 0.2:
        data = mutated(good, rng)
    else:  # the header, not the numbers
        n = struct.unpack("<Q", good[:8])[0]
        header = mutated(good[8:8 + n], rng)
        data = struct.pack("<Q", len(header)) + header + good[8 + n:]
    return _folder(seeds, f"random/{i}-{name}", lambda at: (at / name).write_bytes(data))


def commands(at, out, seeds):
    return [("sample", ["sample", at, "--prompt-ids", "1,2", "--print-ids", "-n", "3"]),
            ("export --hf", ["export", at, "--hf", f"{out}/e"]),
            ("sample text", ["sample", at, "the cat", "-n", "3"]),
            ("train", ["train", str(seeds.config), "-q", "--init-from", at, "--steps", "1", "--warmup-steps", "0", "--dataset",
                       str(seeds.text)]),
            ("train --resume", ["train", str(seeds.config), "-q", "--checkpoint-dir", at, "--steps", "1", "--warmup-steps", "0"])]
