"""Validate outputs of json_outputs.py against docs/schema/, and see that what is wrong fails.

usage: json_schemas.py GAIT ROOT WORK. Exit code 77 where jsonschema is not installed.
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
    import referencing
except ImportError:
    print("skipped: jsonschema is not installed (scripts/install-oracles)")
    sys.exit(77)

import json_outputs

BRIEF_BYTES_MAX = 2048
ENDING = ".schema.json"
TRAINED = {"train", "top", "prepare", "data-show", "export-result", "bench", "sweep", "diagnose", "tune",
           "ablation"}  # a build without the trainer has none


def validators(folder):
    """By the name behind "gait-" in an output's "format"."""
    schemas = {p.name: json.loads(p.read_text()) for p in folder.glob("*" + ENDING)}
    registry = referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(schema)) for name, schema in schemas.items())
    kind = jsonschema.Draft202012Validator
    for schema in schemas.values():
        kind.check_schema(schema)
    return {name.removesuffix(ENDING): kind(schema, registry=registry)
            for name, schema in schemas.items() if "properties" in schema}


def objects(value):
    """The object itself and those in it, each once."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from objects(item)


def wrong_ones(good):
    """(what is wrong, an output): a field too many in each object in turn, one that lacks, a wrong type."""
    for i, _ in enumerate(objects(good)):
        bad = copy.deepcopy(good)
        list(objects(bad))[i]["planted"] = {}
        yield f"a field too many in object {i}", bad
    for key in good:
        yield f"no {key}", {k: v for k, v in good.items() if k != key}
        yield f"{key} of a wrong type", {**good, key: {"planted": {}}}


def main(gait, root, work):
    root = pathlib.Path(root)
    by_name = validators(root / "docs/schema")
    counts, smallest, errors = dict.fromkeys(by_name, 0), {}, 0
    for words, text in json_outputs.outputs(gait, root, pathlib.Path(work)):
        output = json.loads(text)
        name = output["format"].removeprefix("gait-")
        counts[name] += 1
        found = list(by_name[name].iter_errors(output))
        for error in found[:3]:
            print(f"gait {' '.join(words)}: {error.json_path}: {error.message[:300]}")
        too_long = name == "brief" and len(text.encode()) > BRIEF_BYTES_MAX
        if too_long:
            print(f"gait {' '.join(words)}: {len(text.encode())} bytes")
        errors += bool(found) or too_long
        if name not in smallest or len(text) < len(smallest[name][0]):
            smallest[name] = text, output
    planted = 0
    for name, (_, good) in smallest.items():
        for what, bad in wrong_ones(good):
            planted += 1
            if by_name[name].is_valid(bad):
                print(f"gait-{name} with {what} is still valid")
                errors += 1
    for name in by_name:
        if not counts[name] and (name not in TRAINED or counts["train"]):
            print(f"nothing was printed that {name}{ENDING} describes")
            errors += 1
    print(f"{sum(counts.values())} outputs: {counts}; {planted} planted; {errors} errors")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
