"""Hugging Face's generate() as the outside oracle: its own logits processors, put together by its own code, must keep
the same tokens with the same probabilities as generate/pick.h; draws must follow them (chi-square).

    pick_agrees.py PICK_TOKENS        (build/tests/pick_tokens)

The processors run in float64, where both sides agree about which side of a threshold a token lies on. The last line
is JSON: how much was compared, the largest difference, and how many sets differed.
"""
import itertools
import json
import math
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
from transformers import GenerationConfig, GPT2Config, GPT2LMHeadModel

LIMIT = 1e-6
DRAWS = 100_000
ROWS = 8

PENALTIES, TEMPERATURES = (1.0, 1.3, 0.7), (1.0, 0.6, 1.7)
FILTERS = ((0, 1.0, 0.0), (1, 1.0, 0.0), (5, 1.0, 0.0), (50, 1.0, 0.0), (10**6, 1.0, 0.0), (0, 0.9, 0.0), (0, 0.1, 0.0),
           (0, 0.999, 0.0), (0, 1.0, 0.05), (0, 1.0, 0.5), (0, 1.0, 1.0), (40, 0.9, 0.0), (40, 0.9, 0.1),
           (0, 0.95, 0.02), (3, 0.5, 0.9), (7, 0.0, 0.0))
VOCABS = (2, 65, 1000, 50257)
LARGE = 10_000  # vocabularies above it are tried with one penalty and temperature


def option_sets(vocab):
    scales = ((1.3, 0.6),) if vocab > LARGE else itertools.product(PENALTIES, TEMPERATURES)
    return [(*scale, *filters) for scale, filters in itertools.product(scales, FILTERS)]


def processors(model, penalty, temperature, top_k, top_p, min_p):
    """As generate() itself builds them, so that classes and order are its own."""
    config = GenerationConfig(do_sample=True, repetition_penalty=penalty, temperature=temperature, top_k=top_k,
                              top_p=top_p, min_p=min_p if min_p > 0 else None, num_beams=1)
    return model._get_logits_processor(generation_config=config, input_ids_seq_length=1)


def make_rows(rng, vocab):
    rows = []
    for i in range(ROWS):
        logits = rng.standard_normal(vocab).astype(numpy.float32) * numpy.float32((0.3, 1, 3, 8)[i % 4])
        if i % 3 == 2:
            logits[rng.integers(0, vocab, vocab // 3)] = -numpy.inf
            logits[rng.integers(0, vocab)] = 1
        seen = rng.integers(0, vocab, int(rng.integers(0, 60))).astype(numpy.int32)
        rows.append((logits, seen))
    return rows


def write_rows(path, rows):
    with open(path, "wb") as f:
        for logits, seen in rows:
            f.write(logits.tobytes() + struct.pack("<i", len(seen)) + seen.tobytes())


def run(program, path, vocab, options, *draws):
    args = [program, path, vocab, *options, *draws]
    return subprocess.run([str(a) for a in args], check=True, capture_output=True).stdout


def by_hugging_face(model, rows, options):
    p = []
    for logits, seen in rows:
        scores = torch.from_numpy(logits).double()[None]
        scores = processors(model, *options)(torch.from_numpy(seen).long()[None], scores)
        p.append(torch.softmax(scores, -1)[0].numpy())
    return numpy.array(p)


def compare(program, model, folder):
    rng = numpy.random.default_rng(1)
    cases = sets_differ = 0
    worst = 0.0
    for vocab in VOCABS:
        rows = make_rows(rng, vocab)
        write_rows(folder + "/rows", rows)
        for options in option_sets(vocab):
            want = by_hugging_face(model, rows, options)
            got = numpy.frombuffer(run(program, folder + "/rows", vocab, options)).reshape(len(rows), vocab)
            cases += len(rows)
            sets_differ += int(((want > 0) != (got > 0)).any(axis=1).sum())
            worst = max(worst, float(abs(want - got).max()))
    return cases, sets_differ, worst


def greedy(program, folder):
    """Temperature 0 is torch.argmax of what the penalty left."""
    rng = numpy.random.default_rng(2)
    wrong = 0
    for vocab in VOCABS:
        rows = [(numpy.round(logits), seen[:0]) for logits, seen in make_rows(rng, vocab)]  # with many ties
        write_rows(folder + "/rows", rows)
        got = numpy.frombuffer(run(program, folder + "/rows", vocab, (1, 0, 0, 1, 0))).reshape(len(rows), vocab)
        wrong += sum(bool(int(torch.argmax(torch.from_numpy(l))) != int(p.argmax()) or p.max() != 1)
                     for (l, _), p in zip(rows, got))
    return wrong


def chi_square_p(counts, expected):
    """The chance of a worse fit, by Wilson and Hilferty's normal approximation."""
    k = len(counts) - 1
    x = float(((counts - expected) ** 2 / expected).sum())
    z = ((x / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))
    return math.erfc(z / math.sqrt(2)) / 2


def draws(program, model, folder):
    rng = numpy.random.default_rng(3)
    options = (1.2, 0.8, 40, 0.95, 0.01)
    rows = make_rows(rng, 65)[1:2]
    write_rows(folder + "/rows", rows)
    p = by_hugging_face(model, rows, options)[0]
    tokens = numpy.frombuffer(run(program, folder + "/rows", 65, options, 1234, DRAWS), numpy.int32)
    counts = numpy.bincount(tokens, minlength=65)
    kept = p * DRAWS >= 5
    outside = int(counts[p == 0].sum())
    flat = numpy.full(int(kept.sum()), counts[kept].sum() / kept.sum())  # a wrong law, which must be refused
    return (len(tokens), outside, int(kept.sum()), chi_square_p(counts[kept], p[kept] * DRAWS),
            chi_square_p(counts[kept], flat))


def main():
    program = sys.argv[1]
    model = GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=1, n_embd=8, vocab_size=16, n_positions=8,
                                       bos_token_id=0, eos_token_id=0))
    with tempfile.TemporaryDirectory() as folder:
        cases, sets_differ, worst = compare(program, model, folder)
        wrong_greedy = greedy(program, folder)
        n, outside, classes, p_value, p_of_wrong_law = draws(program, model, folder)
    good = (cases == ROWS * sum(len(option_sets(v)) for v in VOCABS) and not sets_differ and worst <= LIMIT and not wrong_greedy and n == DRAWS and not outside and p_value > 1e-4
            and p_of_wrong_law < 1e-4)
    print(json.dumps({"distributions": cases, "sets_that_differ": sets_differ, "largest_difference": worst,
                      "limit": LIMIT, "greedy_wrong": wrong_greedy, "draws": n, "drawn_outside": outside,
                      "chi_square_classes": classes, "chi_square_p": p_value, "verdict": "agrees" if good else "differs"}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
