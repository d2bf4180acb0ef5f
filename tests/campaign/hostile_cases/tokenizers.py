"""Tokenizers: tokenizer.json of Hugging Face, vocab.json with merges.txt, and our own small form."""
import copy
import json

from . import Hostile, mutated

SPLIT = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"


def good():
    """A small tokenizer of GPT-2's kind: all bytes and a few merges."""
    shown, extra = {}, 0
    for b in range(256):
        if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b <= 255:
            shown[b] = chr(b)
        else:
            shown[b], extra = chr(256 + extra), extra + 1
    vocab = {shown[b]: b for b in range(256)}
    merges = ["t h", "th e", "a n", "an d", "Ġ the", "i n"]
    for m in merges:
        vocab[m.replace(" ", "")] = len(vocab)
    vocab["<|endoftext|>"] = len(vocab)
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": vocab["<|endoftext|>"], "content": "<|endoftext|>", "single_word": False, "lstrip": False,
                              "rstrip": False, "normalized": False, "special": True}],
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": vocab, "merges": merges}}


def _json(name, content):
    def write(folder):
        at = folder / "t"
        at.mkdir()
        data = content() if callable(content) else content
        data = data if isinstance(data, (str, bytes)) else json.dumps(data)
        (at / "tokenizer.json").write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        return str(at)
    return Hostile(name, write)


def _changed(seeds, name, change):
    def content():
        t = copy.deepcopy(seeds.tokenizer)
        change(t)
        return t
    return _json(name, content)


def _merges(seeds):
    def merges(name, value):
        yield _changed(seeds, f"merges/{name}", lambda t: t["model"].update(merges=value))
    yield from merges("twice", ["t h"] * 100_000)
    yield from merges("unknown-parts", [f"x{i} y{i}" for i in range(1000)])
    yield from merges("unknown-result", ["q q", "qq q"])
    yield from merges("no-space", ["th"] * 10)
    yield from merges("three-parts", ["t h e"])
    yield from merges("empty-part", [" h", "t ", " "])
    yield from merges("pairs", [["t", "h"], ["t"], [], ["t", "h", "e"], [1, 2]])
    yield from merges("numbers", [1, 2, None, {}])
    yield from merges("not-a-list", {"t": "h"})
    yield from merges("long", ["t " + "h" * 1_000_000])
    yield _changed(seeds, "merges/chain-of-20000", _chain)
    yield _changed(seeds, "merges/circle", lambda t: (t["model"]["vocab"].update({"ab": 0, "ba": 0}),
                                                     t["model"].update(merges=["a b", "b a", "ab ba", "ba ab"])))
    yield _changed(seeds, "merges/300000", lambda t: (t["model"]["vocab"].update({f"{chr(33 + i % 90)}{chr(33 + i // 90 % 90)}": 300 + i
                                                                                for i in range(8100)}),
                                                     t["model"].update(merges=[f"{chr(33 + i % 90)} {chr(33 + i // 90 % 90)}"
                                                                               for i in range(8100)] * 37)))


def _chain(t):
    """Each merge makes the last token a byte longer: a token of 20,000 letters."""
    vocab, word, merges = t["model"]["vocab"], "a", []
    for _ in range(2000):
        merges.append(f"{word} a")
        word += "a"
        vocab[word] = len(vocab)
    t["model"]["merges"] = merges


def _vocabularies(seeds):
    def vocab(name, change):
        return _changed(seeds, f"vocab/{name}", lambda t: change(t["model"]["vocab"]))
    for value in (-1, 2 ** 31, 2 ** 32, 2 ** 63, 1e300, 1.5, "x", None, [], 10 ** 9):
        yield vocab(f"id-{value}", lambda v, x=value: v.update({"the": x}))
    yield vocab("same-id", lambda v: v.update({k: 0 for k in list(v)}))
    yield vocab("holes", lambda v: v.update({k: i * 1000 for k, i in list(v.items())}))
    yield vocab("300000-words", lambda v: v.update({f"w{i}": 263 + i for i in range(300_000)}))
    yield vocab("word-of-10M", lambda v: v.update({"w" * 10_000_000: 263}))
    yield vocab("bytes-missing", lambda v: [v.pop(k) for k in list(v)[:100]])
    yield vocab("empty", lambda v: v.clear())
    yield vocab("not-bytes", lambda v: v.update({"\u4e2d": 263, "\0": 264, "\ud800": 265}))
    yield _changed(seeds, "vocab/not-a-map", lambda t: t["model"].update(vocab=[1, 2]))


def _others(seeds):
    for key, values in {"type": ["WordPiece", "Unigram", "", None, "x" * 10_000], "dropout": [0.5, 2, -1, "x"],
                        "unk_token": ["nope", 7], "byte_fallback": [True, "x"], "ignore_merges": [True, 1],
                        "continuing_subword_prefix": ["##", "x" * 10_000]}.items():
        for value in values:
            yield _changed(seeds, f"model/{key}={str(value)[:12]}", lambda t, k=key, v=value: t["model"].update({k: v}))
    for pattern in ("(a+)+$", "(" * 10_000, "x" * 1_000_000, "", "\\p{L}", "(?R)", "((((a*)*)*)*)*b", SPLIT + "|x"):
        yield _changed(seeds, f"pattern/{pattern[:16]!r}", lambda t, p=pattern: t.update(pre_tokenizer={
            "type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": p}, "behavior": "Isolated", "invert": False},
                                                  {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]}))
    yield _changed(seeds, "pre/deep", lambda t: t.update(pre_tokenizer=_deep_sequence(200)))
    for content in ("", "a", "x" * 1_000_000, "\0", "the", " ", "<script>alert(1)</script>", "\u2028"):
        yield _changed(seeds, f"added/{content[:12]!r}", lambda t, c=content: t["added_tokens"].append(
            {**t["added_tokens"][0], "id": 263, "content": c}))
    yield _changed(seeds, "added/50000", lambda t: t["added_tokens"].extend(
        {**t["added_tokens"][0], "id": 263 + i, "content": "a" * 20 + str(i)} for i in range(50_000)))
    yield _changed(seeds, "added/prefixes", lambda t: t["added_tokens"].extend(
        {**t["added_tokens"][0], "id": 263 + i, "content": "a" * (i + 1)} for i in range(2000)))
    yield _changed(seeds, "added/id", lambda t: t["added_tokens"][0].update(id=2 ** 40))
    for depth in (1000, 1_000_000):
        yield _json(f"deep/{depth}", '{"model":' * depth)
        yield _json(f"deep/arrays-{depth}", "[" * depth + "]" * depth)
    yield _json("of-40M", lambda: '{"x":"' + "y" * 40_000_000 + '"}')
    yield _json("empty", "")
    yield _json("binary", bytes(range(256)) * 50)
    yield _json("keys-twice", '{"model":{"type":"BPE","type":"x","vocab":{},"vocab":{}},"model":3}')
    for codes in ([], [-1], [2 ** 40], [0x110000], [0xD800], [10, 10], list(range(200_000)), "x", None, [1.5]):
        yield _json(f"own/{str(codes)[:16]}", {"format": "gait-tokenizer", "version": 1, "kind": "chars", "codes": codes})
    for more in ({"version": 2}, {"kind": "x"}, {"kind": "bytes"}, {"version": "1"}):
        yield _json(f"own/{more}", {"format": "gait-tokenizer", "version": 1, "kind": "chars", "codes": [10, 32, 97], **more})


def _deep_sequence(depth):
    value = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    for _ in range(depth):
        value = {"type": "Sequence", "pretokenizers": [value]}
    return value


def _two_files(seeds):
    vocab, merges = seeds.tokenizer["model"]["vocab"], seeds.tokenizer["model"]["merges"]

    def two(name, vocab_text, merges_text):
        def write(folder):
            at = folder / "t"
            at.mkdir()
            (at / "vocab.json").write_bytes(vocab_text)
            (at / "merges.txt").write_bytes(merges_text)
            return str(at)
        return Hostile(f"files/{name}", write)
    good_vocab, good_merges = json.dumps(vocab).encode(), ("#version: 0.2\n" + "\n".join(merges) + "\n").encode()
    yield two("merges-of-one-line", good_vocab, b"x" * 20_000_000)
    yield two("merges-of-empty-lines", good_vocab, b"\n" * 5_000_000)
    yield two("merges-binary", good_vocab, bytes(range(256)) * 100)
    yield two("merges-nul", good_vocab, b"t h\0\nth e")
    yield two("merges-windows", good_vocab, good_merges.replace(b"\n", b"\r\n"))
    yield two("vocab-list", b"[1,2,3]", good_merges)
    yield two("vocab-deep", b"[" * 1_000_000, good_merges)
    yield two("vocab-empty", b"", b"")


def handmade(seeds):
    return [*_merges(seeds), *_vocabularies(seeds), *_others(seeds), *_two_files(seeds)]


def random(seeds, rng, i):
    return _json(f"random/{i}", mutated(json.dumps(seeds.tokenizer).encode(), rng))


def commands(at, out, seeds):
    text = str(seeds.text)
    return [("data tokens", ["data", "tokens", text, "-t", at]), ("data prepare", ["data", "prepare", text, "-o", f"{out}/p", "-t", at]),
            ("data show", ["data", "show", at]),
            ("train", ["train", str(seeds.config), "-q", "--steps", "1", "--warmup-steps", "0", "--dataset", text, "--tokenizer", at])]
