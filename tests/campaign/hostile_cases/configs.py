"""YAML configs: anchors that multiply, nesting, large and binary scalars, values beyond reason."""
from . import file, mutated


def _bombs():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for i in range(1, 12):
        lines.append(f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 9) + "]")
    yield file("bomb/lists.yaml", "\n".join(lines) + "\n")
    lines = ["a0: &a0 {k: v}"] + [f"a{i}: &a{i} {{" + ", ".join(f"k{j}: *a{i - 1}" for j in range(9)) + "}" for i in range(1, 12)]
    yield file("bomb/maps.yaml", "\n".join(lines) + "\n")
    yield file("bomb/itself.yaml", "a: &a [*a]\nmodel: *a\n")
    yield file("bomb/merge.yaml", "a: &a {layers: 1}\nmodel:\n  <<: *a\n  <<: [*a, *a]\n")
    yield file("bomb/as-model.yaml", "model: &m\n  layers: 2\ntraining: *m\ndata: *m\n")
    yield file("bomb/100000-anchors.yaml", "".join(f"a{i}: &a{i} x\n" for i in range(100_000)))


def _shapes():
    for depth in (100, 5000, 200_000):
        yield file(f"deep/lists-{depth}.yaml", "model: " + "[" * depth + "]" * depth)
        yield file(f"deep/maps-{depth}.yaml", "model: " + "{a: " * depth + "}" * depth)
        yield file(f"deep/open-{depth}.yaml", "{" * depth)
        yield file(f"deep/dashes-{depth}.yaml", "- " * depth)
    yield file("deep/indent-2000.yaml", "\n".join(" " * i + "a:" for i in range(2000)))
    for size in (1 << 16, 16 << 20):
        yield file(f"large/scalar-{size}.yaml", lambda size=size: "model:\n  layers: " + "1" * size)
        yield file(f"large/key-{size}.yaml", lambda size=size: "k" * size + ": 1")
        yield file(f"large/comment-{size}.yaml", lambda size=size: "#" * size)
        yield file(f"large/folded-{size}.yaml", lambda size=size: "data:\n  dataset: >\n" + "    x\n" * (size // 6))
        yield file(f"large/lines-{size}.yaml", lambda size=size: "\n" * size)
        yield file(f"large/quoted-{size}.yaml", lambda size=size: 'data:\n  dataset: "' + "\\x41" * (size // 4) + '"')
        yield file(f"large/keys-{size}.yaml", lambda size=size: "".join(f"k{i}: 1\n" for i in range(size // 10)))
    yield file("form/empty.yaml", "")
    yield file("form/binary.yaml", bytes(range(256)) * 100)
    yield file("form/nul.yaml", b"model:\n  layers: 1\0\n")
    yield file("form/utf16.yaml", "model:\n  layers: 1\n".encode("utf-16"))
    yield file("form/bom.yaml", b"\xef\xbb\xbfmodel:\n  layers: 1\n")
    yield file("form/tabs.yaml", "model:\n\tlayers: 1\n")
    yield file("form/documents.yaml", "---\nmodel:\n  layers: 1\n" * 1000)
    yield file("form/directive.yaml", "%YAML 9.9\n---\nmodel:\n  layers: 1\n")
    yield file("form/tags.yaml", "%TAG ! tag:x,2000:\n---\nmodel: !!python/object/apply:os.system ['touch hostile']\n")
    yield file("form/list.yaml", "- model\n- training\n")
    yield file("form/scalar.yaml", "model")
    yield file("form/anchors-only.yaml", "*a")
    yield file("form/complex-key.yaml", "? [model, {a: b}]\n: 1\n")
    yield file("form/twice.yaml", "model:\n  layers: 1\n  layers: 2\nmodel:\n  layers: 3\n")
    yield file("form/escape.yaml", 'data:\n  dataset: "\\e]0;hostile\\a\\e[31m"\n')
    yield file("form/markup.yaml", "data:\n  dataset: <script>alert(1)</script>\n")
    yield file("form/shell.yaml", "data:\n  dataset: $(touch hostile)\ntraining:\n  checkpoint_dir: '`id`'\n")


def _values():
    numbers = ["0", "-1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "1e30", "1e999", "nan",
               ".inf", "-.inf", "0x7fffffff", "1_000", "1.5", "''", "null", "[]", "{}", "yes", "9" * 400]
    settings = {"model": ["layers", "heads", "width", "context", "hidden", "kv_heads", "norm_epsilon", "rope_theta", "dropout"],
                "training": ["batch_size", "gradient_accumulation", "learning_rate", "warmup_steps", "beta1", "threads", "eval_batches",
                             "eval_batch_size", "log_interval", "seed"],
                "data": ["builtin_chars", "validation_fraction", "num_workers", "max_chars"]}
    for section, keys in settings.items():
        for key in keys:
            for number in numbers:
                yield file(f"value/{key}={number[:20]}.yaml", f"{section}:\n  {key}: {number}\n")
    for dataset in ("/etc", "/etc/shadow", "../../../../etc/passwd", "/proc/self/environ", "/nonexistent", "", ".", "/", "~", "x" * 5000,
                    "http://hostile.invalid/", "-"):
        for key in ("dataset", "tokenizer"):
            yield file(f"path/{key}={dataset[:20].replace('/', '_')}.yaml", f"data:\n  {key}: {dataset!r}\n")


def handmade(seeds):
    return [*_bombs(), *_shapes(), *_values()]


def random(seeds, rng, i):
    words = [b"&a ", b"*a", b"<<: *a", b"!!int ", b"- ", b": ", b"\n", b"  ", b"\t", b"|", b">", b"'", b'"', b"#", b"%", b"---\n", b"...\n",
             b"{", b"}", b"[", b"]", b"?", b"1e999", b"-1", b"9223372036854775808", b"\xff", b"\0", b"\xc2\x85"]
    return file(f"random/{i}.yaml", mutated(seeds.config.read_bytes(), rng, words))


def commands(at, out, seeds):
    return [("config", ["config", at]), ("config --json", ["config", at, "--json"]),
            ("train --print-config", ["train", at, "--print-config"]),
            ("train", ["train", at, "-q", "--steps", "1", "--warmup-steps", "0", "--eval-interval", "0", "--eval-batches", "1",
                       "--builtin-chars", "20000"])]
