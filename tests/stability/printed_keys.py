"""What the program prints has every key of docs/schema/stable-keys.tsv, with a type that stands there, and no other.

usage: printed_keys.py GAIT ROOT. Needs no other package: tests/e2e/json_schemas.py holds more outputs, and more of
each, against the schemas themselves.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def promised(root):
    """{output: {key of an object: {name: types}}}, and types of the items of lists under "[]"."""
    outputs = {}
    for line in (root / "docs/schema/stable-keys.tsv").read_text().splitlines()[1:]:
        output, key, types = line.split("\t")[:3]
        if key.endswith("[]"):
            above, name = key[:-2], "[]"
        else:
            above, _, name = key.rpartition(".")
        outputs.setdefault(output, {}).setdefault(above or ".", {})[name] = set(types.split("|"))
    return outputs


def is_of(value, types):
    names = {bool: ["boolean"], int: ["integer", "number"], float: ["number"], str: ["string"], type(None): ["null"],
             list: ["array"], dict: ["object"]}[type(value)]
    return not types.isdisjoint(names)


def differences(value, keys, at="."):
    """What of this value, which stands at a key, is not as promised."""
    names = keys.get(at, {})
    if isinstance(value, dict):
        children = [(name, at.rstrip(".") + "." + (name if name in names else "*"), v, names.get(name, names.get("*")))
                    for name, v in value.items()]
        yield from (f"{at.rstrip('.')}.{name} is not there" for name, types in names.items()
                    if name not in value and name not in ("", "*", "[]") and "absent" not in types)
    else:
        children = [("[]", at + "[]", v, names.get("[]")) for v in value] if isinstance(value, list) else []
    for name, below, v, types in children:
        if types is None:
            yield f"{at.rstrip('.')}.{name} is not promised"
        elif not is_of(v, types):
            yield f"{below} is {json.dumps(v)[:40]}, promised is {'|'.join(sorted(types))}"
        else:
            yield from differences(v, keys, below)


def commands(root, has_lint):
    example, other = root / "examples/three_steps.trace.json", root / "tests/cmdline/files/host_ahead.trace.json"
    traces = [example, other]
    yield ["version"]
    yield ["config"]
    for trace in traces:
        yield ["analyze", trace]
        yield ["explain", trace]
        yield ["whatif", trace, "no-wait", "batch=2x", "remove op:no_such"]
        yield ["analyze", "--compare", example, trace]
        yield ["verify", example, trace]
    if has_lint:
        yield ["lint", root / "tests/lint/jobs"]
        yield ["lint", "--statistics", root / "tests/lint/jobs"]


def main(gait, root):
    root = pathlib.Path(root)
    outputs, errors, printed, planted = promised(root), 0, {}, 0
    has_lint = "lint: yes" in subprocess.run([gait, "version"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as work:
        for words in commands(root, has_lint):
            words = [str(w) for w in words]
            done = subprocess.run([gait, words[0], "--json", *words[1:], "-q"], capture_output=True, text=True, cwd=work,
                                  env={**os.environ, "XDG_CACHE_HOME": work})
            if not done.stdout or done.returncode > 2:
                sys.exit(f"gait {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
            output = json.loads(done.stdout)
            name = output["format"].removeprefix("gait-")
            printed[name] = output
            for difference in sorted(set(differences(output, outputs[name])))[:10]:
                print(f"gait {' '.join(words)}: gait-{name} {difference}")
                errors += 1
    for name, good in printed.items():  # what is wrong is seen
        for key in good:
            for bad in {k: v for k, v in good.items() if k != key}, {**good, key: {"planted": {}}}:
                planted += 1
                if not list(differences(bad, outputs[name])):
                    print(f"gait-{name} with a wrong {key} is taken for right")
                    errors += 1
    print(f"{len(printed)} kinds of output: {', '.join(sorted(printed))}; {planted} planted; {errors} errors")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
