"""Hostile files, a module for each kind of input.

A module has
    handmade(seeds)             a list of Hostile: what somebody thought of
    random(seeds, rng, i)       the ith of any number more, made from good files
    commands(at, out, seeds)    every command that reads the kind: (what, arguments of gait)
where `at` is what Hostile.write() returned and `out` a folder for what the command writes.
"""
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


@dataclass(frozen=True)
class Hostile:
    name: str
    write: Callable[[Path], str]  # into the empty folder; returns the operand for the commands


@dataclass(frozen=True)
class Seeds:
    """Good files, from which bad ones are made."""
    root: Path  # of the repository
    run: Path  # *.gait
    trace: Path  # *.json
    weights: Path  # a Hugging Face folder
    tokenizer: dict  # of a tokenizer.json
    config: Path  # *.yaml
    text: Path


def file(name, content):
    """A Hostile that is one file."""
    base = name.rsplit("/", 1)[-1]

    def write(folder):
        data = content() if callable(content) else content
        (folder / base).write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
        return str(folder / base)
    return Hostile(name, write)


INTERESTING = [b"\0", b"\xff", b"-1", b"0", b"1e999", b"-1e999", b"NaN", b"9223372036854775807", b"18446744073709551616",
               b"1" * 400, b'"', b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]", b",", b":", b"null", b"true",
               b"../../../../etc/passwd", b"%n%s", b"<script>", b"\xe2\x80\xa8", b"\xc0\xaf", b"\xf5\x80\x80\x80"]


def mutated(data, rng, words=INTERESTING):
    """One to eight changes to good bytes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 2, 4, 16, 256])
        change = rng.randrange(6)
        if change == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif change == 1:
            del data[at:at + length]
        elif change == 2:
            data[at:at] = data[at:at + length] * rng.choice([1, 2, 50])
        elif change == 3:
            data[at:at] = rng.choice(words)
        elif change == 4:
            data[at:at + length] = rng.choice(words)
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)
