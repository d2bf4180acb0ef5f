"""Numbers in the texts of findings, and their values. The check itself is tried on planted faults.

usage: figures.py GAIT ROOT
"""
import json
import pathlib
import re
import subprocess
import sys

import json_outputs

# A number that is no part of a name: 1,234 or 12.5, and what it is of
NUMBER = re.compile(r"(?<![\w.:/#-])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?: ?(%|ms|us|ns|s|[kMGT]?B/s|[kMGT]?B|TFLOP/s)(?!\w)| (k|M|G))?(?![\w])")
SCALE = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
MS = {"ms": 1, "us": 1e3, "ns": 1e6, "s": 1e-3}
# What of `where` is a figure; the rest are names, line numbers and ranks.
FIGURES_OF_WHERE = re.compile(r"\d+(?= launches)|[\d.]+ ms(?= a step)|(?<=, )[\d.]+(?= of the median rank)|(?<=a batch of )\d+")


def in_unit(value, unit, scale):
    """The value as the text has it, or None: of another kind."""
    kind = value["unit"]
    if unit == "%":
        return 100 * value["value"] if kind == "frac" else None
    if unit in MS:
        return value["value"] * MS[unit] if kind == "ms" else None
    if unit.endswith("B") or unit.endswith("B/s"):
        same = kind == ("bytes/s" if unit.endswith("/s") else "bytes")
        return value["value"] / SCALE[unit[0] if unit[0] in SCALE else ""] if same else None
    return value["value"] / SCALE[scale] if kind in ("count", "ratio", "ms", "TFLOP/s", "frac") else None


def is_same(number, value):
    whole, part, unit, scale = (number.group(i) or "" for i in (1, 2, 3, 4))
    v = in_unit(value, unit, scale)
    if v is None:
        return False
    said = float(whole.replace(",", "") + part)
    digits = len(whole.replace(",", "")) + len(part[1:] if part else "")
    step = 10.0 ** -(len(part) - 1 if part else 0)
    if digits >= 3 and not part:  # of three or four significant digits
        step = max(step, 10.0 ** (len(whole.replace(",", "")) - 4))
    return abs(v - said) <= 0.51 * step or (said == 1 and unit == "%" and v < 1) or (unit == "%" and said == 99 and v > 99)


def missing(text, values):
    """The numbers of a text that are no values, in their order."""
    at, lost = 0, []
    for number in NUMBER.finditer(text or ""):
        found = next((i for i in range(at, len(values)) if is_same(number, values[i])), None)
        if found is None:
            lost.append(number.group(0).strip())
        else:
            at = found + 1
    return lost


def wrong(finding):
    values = finding["evidence_values"]
    lost = missing(finding["evidence"], values) + missing(finding["confidence_reason"], finding["confidence_values"])
    for said in FIGURES_OF_WHERE.findall(finding["where"] or ""):
        if not any(missing(said, [v]) == [] for v in values):
            lost.append(f"{said} (where)")
    return lost


def self_test(findings):
    """Without one of its values, or with another one, a finding is wrong, nearly always: 1 is many things."""
    tried = noticed = 0
    for f in findings:
        for i, v in enumerate(f["evidence_values"]):
            if not NUMBER.search(f["evidence"]) or v["value"] in (0, 1):
                continue
            rest = f["evidence_values"][:i] + f["evidence_values"][i + 1:]
            other = rest[:i] + [{**v, "value": v["value"] * 1.7}] + rest[i:]
            tried += 2
            noticed += bool(wrong({**f, "evidence_values": rest})) + bool(wrong({**f, "evidence_values": other}))
    return tried, noticed


def sentences_with_numbers(root):
    """Of the rules' own sources: a number that stands in a sentence itself comes from no quantity. No trace is needed to see it."""
    for path in sorted([*(root / "src/rules").glob("*.c"), *(root / "src/price").glob("*.c"), *(root / "src/whatif").glob("*.c")]):
        for call in re.finditer(r'evidence_say\(\s*\w+,((?:\s*"(?:[^"\\]|\\.)*")+)', path.read_text()):
            sentence = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call.group(1)))
            yield path.name, sentence, NUMBER.search(sentence)


def main(gait, root):
    root, findings, errors = pathlib.Path(root), [], 0
    sentences = list(sentences_with_numbers(root))
    for name, sentence, number in sentences:
        if number:
            errors += 1
            print(f"{name}: {number.group(0)} is no quantity: {sentence}")
    inputs = [*json_outputs.traces(root), *json_outputs.several_ranks(root), root / "tests/data/suspects/train.gait"]
    for path in inputs:
        done = subprocess.run([gait, "analyze", "--json", "-q", path], capture_output=True, text=True)
        for f in json.loads(done.stdout)["findings"] if done.stdout else []:
            findings.append(f)
            lost = wrong(f)
            if lost:
                errors += 1
                print(f"{path}: {f['rule']}: {', '.join(lost)}: {f['evidence']} | {f['where']} | {f['confidence_reason']} | {f['evidence_values']}")
    tried, noticed = self_test(findings)
    print(f"{len(findings)} findings of {len({f['rule'] for f in findings})} rules in {len(inputs)} inputs: {errors} with a figure that is "
          f"no number; {len(sentences)} sentences of rules read; of {tried} planted faults {noticed} seen")
    return errors > 0 or noticed < 0.9 * tried or len(findings) < 3 or len(sentences) < 40


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
