"""scripts/stable-keys refuses what breaks a promise of docs/stability.md, and lets pass what does not.

usage: promised_keys.py ROOT. Changes copies of the schemas; the tree itself must pass.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def change(schema, *path, to=None):
    """Replace what stands at path, or take it away."""
    *above, last = path
    for part in above:
        schema = schema[part]
    if to is None:
        del schema[last]
    else:
        schema[last] = to


def no_key(schema, name):
    change(schema, "properties", name)
    schema["required"].remove(name)


def step_without_ms(parts):
    no_key(parts["$defs"]["step"], "ms")


def raised(schema, by=1):
    change(schema, "properties", "version", "const", to=schema["properties"]["version"]["const"] + by)


def gone_with_raised_version(schema):
    no_key(schema, "replay")
    raised(schema)


def another_key(schema):
    change(schema, "properties", "planted", to={"type": "integer"})
    schema["required"].append("planted")


# What is done to which schema, and a part of what must be said.
REFUSED = [
    ("a key is gone", "whatif", lambda s: no_key(s, "replay"),
     "a key that was promised in 0.2.0 is gone: gait-whatif .replay.window_steps"),
    ("it says what to do", "whatif", lambda s: no_key(s, "replay"),
     "bring it back, or raise the output's version"),
    ("a key of several outputs is gone", "parts", step_without_ms, "is gone: gait-explain .step.ms"),
    ("an object in a list has lost a key", "lint", lambda s: no_key(s["$defs"]["finding"], "why"),
     "is gone: gait-lint .files[].findings[].why"),
    ("another type", "lint", lambda s: change(s, "$defs", "finding", "properties", "why", to={"type": "integer"}),
     "has lost a type: gait-lint .files[].findings[].why was string, is integer"),
    ("a type is lost", "whatif", lambda s: change(s, "properties", "together", "anyOf", 1),
     "has lost a type: gait-whatif .together was null|object, is object"),
    ("null where there was none", "version", lambda s: change(s, "properties", "lint", "type", to=["boolean", "null"]),
     "has a type more: gait-version .lint was boolean, is boolean|null"),
    ("it may be missing", "version", lambda s: s["required"].remove("lint"),
     "has a type more: gait-version .lint was boolean, is absent|boolean"),
    ("a word is gone", "parts", lambda s: s["$defs"]["effort"]["enum"].remove("low"),
     'is gone: gait-analysis .findings[].effort may no longer be "low"'),
    ("no list of words any more", "parts", lambda s: change(s, "$defs", "effort", to={"type": "string"}),
     "is gone: gait-analysis .findings[].effort"),
    ("an output is gone", "version", None, "is gone: gait-version .gait"),
    ("a lower version", "lint", lambda s: raised(s, by=-1), "gait-lint .version may no longer be"),
    ("what cannot be understood", "version", lambda s: s.update({"if": {}}), "version.schema.json has if"),
]
# These break nothing: one command records them.
RECORDED = [
    ("another key", "version", another_key, "gait-version .planted"),
    ("another word", "parts", lambda s: s["$defs"]["effort"]["enum"].append("none"), "gait-analysis .findings[].effort"),
    ("a key is gone and the version raised", "whatif", gone_with_raised_version, "gait-whatif .replay"),
]


class Tree:
    """A copy of what scripts/stable-keys reads."""

    def __init__(self, root, work):
        self.root, self.work = root, work
        shutil.copytree(root / "docs/schema", work / "docs/schema")
        for name in "CHANGELOG.md", "CMakeLists.txt":
            shutil.copy(root / name, work)
        self.keys = work / "docs/schema/stable-keys.tsv"

    def plant(self, name, edit):
        path = self.work / f"docs/schema/{name}.schema.json"
        if edit is None:
            path.unlink()
            return
        schema = json.loads(path.read_text())
        edit(schema)
        path.write_text(json.dumps(schema))

    def unreleased(self, text):
        path = self.work / "CHANGELOG.md"
        head, _, tail = path.read_text().partition("## [Unreleased]\n")
        path.write_text(f"{head}## [Unreleased]\n{text}\n## [" + tail.partition("\n## [")[2])

    def run(self, *options):
        done = subprocess.run([sys.executable, self.root / "scripts/stable-keys", "--root", self.work, *options],
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def must(is_so, *text):
    if not is_so:
        sys.exit("\n".join(map(str, text)))


def is_refused(tree, what, name, edit, words):
    tree.plant(name, edit)
    before = tree.keys.read_bytes()
    for options in [], ["--record"]:  # recording is no way around
        code, said = tree.run(*options)
        must(code == 1 and words in said, f"{what} ({options}): exit code {code}, not refused with: {words}", said)
    must(tree.keys.read_bytes() == before, f"{what}: was recorded")


def is_recorded(tree, what, name, edit, words):
    tree.plant(name, edit)
    code, said = tree.run()
    must(code == 1 and words in said and "--record" in said and "promised in" not in said, f"{what}: exit code {code}", said)
    must(tree.run("--record")[0] == 0 and tree.run()[0] == 0, f"{what}: cannot be recorded", tree.run("--record"))


def can_be_taken_back_before_a_release(tree):
    """A key that no version has yet may go; once a version has it, it may not."""
    tree.unreleased("\n### Added\n\n- Something.\n")
    tree.plant("version", another_key)
    must(tree.run("--record")[0] == 0 and ".planted\tinteger\t\tunreleased" in tree.keys.read_text(), "no row unreleased")
    recorded = tree.keys.read_bytes()
    tree.plant("version", lambda s: no_key(s, "planted"))
    must(tree.run("--record")[0] == 0 and "planted" not in tree.keys.read_text(), "an unreleased key cannot be taken back")
    tree.keys.write_bytes(recorded)
    tree.plant("version", another_key)
    tree.unreleased("")
    must(tree.run()[0] == 1, "a release with a key that is recorded as unreleased")
    must(tree.run("--record")[0] == 0 and "unreleased" not in tree.keys.read_text(), "the release does not promise its keys")
    tree.plant("version", lambda s: no_key(s, "planted"))
    must(tree.run("--record")[0] == 1, "a released key can be taken back")


def an_unreleased_version_may_change_again(tree):
    tree.unreleased("\n### Changed\n\n- Something.\n")
    tree.plant("whatif", gone_with_raised_version)
    must(tree.run("--record")[0] == 0, "a raised version cannot be recorded")
    tree.plant("whatif", lambda s: no_key(s, "together"))
    must(tree.run("--record")[0] == 0, "a version that is not released cannot change again", tree.run())
    tree.unreleased("")
    must(tree.run("--record")[0] == 0, "it cannot be released")
    tree.plant("whatif", lambda s: no_key(s, "answers"))
    must(tree.run("--record")[0] == 1, "a released version can change")


def main(root):
    root = pathlib.Path(root)
    done = subprocess.run([sys.executable, root / "scripts/stable-keys"], capture_output=True, text=True)
    must(done.returncode == 0, done.stdout, done.stderr)
    print(done.stdout, end="")
    cases = [(is_refused, *case) for case in REFUSED] + [(is_recorded, *case) for case in RECORDED]
    cases += [(can_be_taken_back_before_a_release,), (an_unreleased_version_may_change_again,)]
    for check, *arguments in cases:
        with tempfile.TemporaryDirectory() as work:
            tree = Tree(root, pathlib.Path(work))
            tree.unreleased("")  # as at a release
            must(tree.run("--record")[0] == 0, "the tree cannot be recorded")
            check(tree, *arguments)
    print(f"{len(REFUSED)} broken promises were refused, {len(RECORDED)} additions recorded")


if __name__ == "__main__":
    main(*sys.argv[1:])
