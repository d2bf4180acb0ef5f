"""The `tokenizers` library as the outside oracle: gait must give the same ids for the same text, and give the
text back from the ids.

    tokenizers_agree.py GAIT SOURCE_ROOT [--quick]

Four tokenizers: GPT-2's own vocabulary (../shared/data/gpt2-vocab), one of Llama 3's kind that is trained
here, and for each of the two patterns one that merges any two bytes: a piece that ends elsewhere gives other
pairs, where a vocabulary of words may hide it. Texts: random strings, every code point in each surrounding that
the patterns look at, and 10 MB of generated text of all planes, line ends and white spaces, also in chunks
through `gait data prepare`. What gait saves as tokenizer.json must load here and mean the same. The last line is
one JSON object.
"""
import array
import json
import os
import random
import subprocess
import sys
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|reserved 1|>"]
SPACES = " \t\n\r\v\f\x1c\x85\xa0\u1680\u2000\u2003\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
WORDS = ("the of and to in is that it was for Hello WORLD don't we're I'LL you'Ve he'd 'Tis o'clock x86 3.14159 "
         "12345678 1,000 naïve façade Straße ΑΒΓ αβγ Привет мир שלום مرحبا नमस्ते ไทย 你好 世界 こんにちは 한국어 ١٢٣ Ⅷ ½ "
         "e\u0301a\u0308 👍🏽 👩‍👩‍👧 🇩🇪 ſ 'ſ don'ſ <|endoftext|> <|eot_id|> <|reserved 1|> <|end http://a.b/c?d=e&f "
         "__init__ == != /* // -> ::: ... --- \U00012345 \U0001d7d8 \U000e0001 \U0010ffff").split(" ")


def any_code(rng):
    """A code point of any plane, assigned or not; the lower ones more often."""
    while True:
        c = rng.randrange(rng.choice((0x80, 0x250, 0x3000, 0x10000, 0x20000, 0x110000)))
        if c and not 0xD800 <= c < 0xE000:
            return chr(c)


def piece(rng):
    kind = rng.randrange(10)
    if kind < 5:
        return rng.choice(WORDS)
    if kind < 7:
        return "".join(rng.choice(SPACES) for _ in range(rng.randrange(1, 5)))
    if kind == 7:
        return "".join(any_code(rng) for _ in range(rng.randrange(1, 6)))
    if kind == 8:
        return rng.choice((" ", "  ", "\n", "\r\n", "\n\n", " \n", "'", "' ", "\t"))
    return str(rng.randrange(10 ** rng.randrange(1, 12)))


def text(rng, chars):
    parts, n = [], 0
    while n < chars:
        parts.append(piece(rng))
        if rng.randrange(3):
            parts.append(" ")
        n += len(parts[-1]) + len(parts[-2] if len(parts) > 1 else "")
    return "".join(parts)


def each_code_point():
    """Strings that tell a code point's class, and each contraction's letters, in both patterns."""
    codes = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    for i in range(0, len(codes), 16):
        yield "~1".join(f"a{h}a1{h}1!{h}! {h} {h}{h}\n{h}\r\n'{h}b'r{h}b'{h}e'{h}l\t{h}" for h in codes[i:i + 16])


def train_llama3(folder, rng):
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=6000, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator((text(rng, 2000) for _ in range(400)), trainer)
    spec = json.loads(tokenizer.to_str())
    # Words that no merge reaches: ignore_merges takes them all the same.
    vocab = spec["model"]["vocab"]
    for word in ("Ġdon", "ĠHello", "WORLD", "ĠStraÃŁe"):
        vocab.setdefault(word, len(vocab))
    tokenizer = Tokenizer.from_str(json.dumps(spec))
    tokenizer.add_special_tokens(SPECIAL)
    # The whole text is searched for the first kind before the second: overlaps tell.
    tokenizer.add_tokens([AddedToken("<|eot_id|> <|", normalized=True), AddedToken("->::", normalized=False),
                          AddedToken("->", normalized=True)])
    tokenizer.save(f"{folder}/llama3.json")
    return tokenizer


def any_pair(folder, name, pre_tokenizer, rng):
    """256 bytes and all 65,536 pairs of them, with random ranks."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pairs = [(a, b) for a in alphabet for b in alphabet]
    rng.shuffle(pairs)
    vocab = {token: i for i, token in enumerate(alphabet + [a + b for a, b in pairs])}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(f"{folder}/{name}.json")
    return tokenizer


def gpt2(folder):
    tokenizer = Tokenizer(models.BPE.from_file(f"{folder}/vocab.json", f"{folder}/merges.txt"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


class Case:
    def __init__(self, gait, scratch, name, option, reference):
        self.gait, self.scratch, self.name, self.option, self.reference = gait, scratch, name, option, reference
        self.counts = {"strings": 0, "bytes": 0, "tokens": 0, "mismatches": 0, "decode_mismatches": 0,
                       "prepared_tokens": 0}

    def run(self, action, data, *more):
        path = f"{self.scratch}/input"
        open(path, "wb").write(data)
        return subprocess.run([self.gait, "data", action, path, "--tokenizer", self.option, *more], check=True,
                              capture_output=True).stdout

    def mismatch(self, string, ours, theirs):
        self.counts["mismatches"] += 1
        if self.counts["mismatches"] <= 5:
            print(f"{self.name}: {string[:200]!r}: gait {ours[:200]}, reference {theirs[:200]}")

    def strings(self, strings):
        """Many texts, each on its own."""
        for i in range(0, len(strings), 50000):
            part = strings[i:i + 50000]
            lines = self.run("tokens", "\0".join(part).encode() + b"\0", "--null").decode().split("\n")[:-1]
            assert len(lines) == len(part)
            for string, line, encoding in zip(part, lines, self.reference.encode_batch(part)):
                theirs = " ".join(map(str, encoding.ids))
                if line != theirs:
                    self.mismatch(string, line, theirs)
                self.counts["tokens"] += len(encoding.ids)
        self.counts["strings"] += len(strings)
        self.counts["bytes"] += sum(len(s.encode()) for s in strings)

    def file(self, content):
        """One text, there and back."""
        lines = self.run("tokens", content.encode())
        theirs = "".join(f"{i}\n" for i in self.reference.encode(content).ids)
        if lines.decode() != theirs:
            self.mismatch(content, lines.decode().replace("\n", " "), theirs.replace("\n", " "))
        if self.run("text", lines) != content.encode():
            self.counts["decode_mismatches"] += 1
        self.counts["bytes"] += len(content.encode())
        self.counts["tokens"] += lines.count(b"\n")

    def prepare(self, contents, strings):
        """Documents through `gait data prepare`; then the tokenizer that it saved, in the reference's hands."""
        paths, ids = [], []
        for i, content in enumerate(contents):
            paths.append(f"{self.scratch}/document{i}")
            open(paths[-1], "wb").write(content.encode())
            ids += self.reference.encode(content).ids
        out = f"{self.scratch}/{self.name}-prepared"
        subprocess.run([self.gait, "data", "prepare", *paths, "-o", out, "--tokenizer", self.option, "--threads", "2",
                        "--validation-fraction", "0.3", "--shard-tokens", "700000"], check=True, capture_output=True)
        index = json.load(open(f"{out}/gait-data.json"))
        prepared = array.array({"uint16": "H", "uint32": "I"}[index["dtype"]])
        for shard in index["train"] + index["validation"]:
            prepared.frombytes(open(f"{out}/{shard['file']}", "rb").read())
        if prepared.tolist() != ids:
            self.mismatch("prepared", str(len(prepared)), str(len(ids)))
        self.counts["prepared_tokens"] += len(prepared)
        saved = Tokenizer.from_file(f"{out}/tokenizer.json")
        for string, ours, theirs in zip(strings, saved.encode_batch(strings), self.reference.encode_batch(strings)):
            if ours.ids != theirs.ids:
                self.mismatch(string, str(ours.ids), str(theirs.ids))


def files(rng, root, megabytes):
    shakespeare = f"{root}/../shared/data/tinyshakespeare.txt"
    if os.path.exists(shakespeare):
        yield open(shakespeare, newline="").read()
    for _ in range(megabytes):
        yield text(rng, 750_000)
    for long in ("a" * 300_000, "ab1 " * 50_000, " " * 100_000 + "x", "\n" * 100_000 + " y", "!" * 100_000,
                 "1" * 100_000, "\0\x01\x7f" * 1000, ""):
        yield long


def main():
    gait, root = sys.argv[1:3]
    quick = "--quick" in sys.argv
    vocab = f"{root}/../shared/data/gpt2-vocab"
    rng = random.Random(20240611)
    with tempfile.TemporaryDirectory() as scratch:
        llama3 = train_llama3(scratch, rng)
        made = {"llama3": llama3,
                "pairs_llama3": any_pair(scratch, "pairs_llama3", llama3.pre_tokenizer, rng),
                "pairs_gpt2": any_pair(scratch, "pairs_gpt2", pre_tokenizers.ByteLevel(add_prefix_space=False), rng)}
        cases = [Case(gait, scratch, name, f"{scratch}/{name}.json", made[name]) for name in made]
        if os.path.isdir(vocab):
            cases.append(Case(gait, scratch, "gpt2", vocab, gpt2(vocab)))
        else:
            print(f"skipped: gpt2: there is no {vocab}")
        randoms = [text(rng, rng.randrange(1, 80)) for _ in range(5_000 if quick else 100_000)]
        codes = list(each_code_point())
        if quick:
            codes = codes[:64] + codes[64::97]
        texts = list(files(rng, root, 1 if quick else 11))
        for case in cases:
            case.strings(randoms)
            if case.name.startswith("pairs_"):
                case.strings(codes)
            for content in texts:
                case.file(content)
            case.prepare(texts, randoms[:5_000])
    result = {case.name: case.counts for case in cases}
    result["mismatches"] = sum(c.counts["mismatches"] + c.counts["decode_mismatches"] for c in cases)
    print(json.dumps(result))
    sys.exit(result["mismatches"] != 0)


main()
