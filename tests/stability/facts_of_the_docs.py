"""What the docs say of versions, exit codes and file formats is so in the source and in the program.

usage: facts_of_the_docs.py GAIT ROOT. Each check must also see what is planted into a copy of the texts.
"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TEXTS = ["CMakeLists.txt", "CHANGELOG.md", "debian/changelog", "packaging/wheel/pack", "docs/schema/stable-keys.tsv",
         "docs/scripts.md", "docs/run-format.md", "docs/stability.md", "src/base/status.h", "src/run/run.h"]
SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
USER_VERSION_AT = 60  # in the header of an SQLite file, 4 bytes, most significant first


def only(pattern, text):
    found = re.findall(pattern, text, re.M)
    return found[0] if found else None


def table(text, *columns):
    """The rows of the Markdown table with these columns, as lists of cells."""
    head = "| " + " | ".join(columns) + " |\n"
    if head not in text:
        return []
    lines = text.partition(head)[2].split("\n")[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[:lines.index("")]]


def versions(t):
    """[(version, date)] of CHANGELOG.md, newest first."""
    return re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", t["CHANGELOG.md"], re.M)


def version_is_one(t):
    cmake = only(r"project\(gait VERSION ([0-9.]+)", t["CMakeLists.txt"])
    found = {"CHANGELOG.md": versions(t)[0][0] if versions(t) else None,
             "debian/changelog": only(r"^gait \(([^)]+)\)", t["debian/changelog"])}
    for path, version in found.items():
        if version != cmake:
            yield f"the newest version of {path} is {version}, CMakeLists.txt has {cmake}"
    if "project\\(gait VERSION" not in t["packaging/wheel/pack"]:
        yield "packaging/wheel/pack does not take its version from CMakeLists.txt"
    known = {version for version, _ in versions(t)} | {"unreleased"}
    for since in {line.split("\t")[4] for line in t["docs/schema/stable-keys.tsv"].splitlines()[1:]} - known:
        yield f"docs/schema/stable-keys.tsv has keys since {since}, which CHANGELOG.md does not know"


def changelog_has_its_form(t):
    heads = re.findall(r"^## (.*)$", t["CHANGELOG.md"], re.M)
    if heads[0] != "[Unreleased]":
        yield "CHANGELOG.md does not begin with ## [Unreleased]"
    if len(heads) != len(versions(t)) + 1:
        yield "CHANGELOG.md has a heading that is no ## [x.y.z] - YYYY-MM-DD"
    order = [tuple(map(int, version.split("."))) for version, _ in versions(t)]
    if order != sorted(order, reverse=True) or len(set(order)) < len(order):
        yield "CHANGELOG.md: versions are not in order, newest first"
    for part in re.split(r"^## ", t["CHANGELOG.md"], flags=re.M)[1:]:
        sections = re.findall(r"^### (.*)$", part, re.M)
        if set(sections) - set(SECTIONS) or len(set(sections)) < len(sections):
            yield f"CHANGELOG.md: {part.splitlines()[0]} has other sections than each of {', '.join(SECTIONS)} once"


def exit_codes_are_the_enum(t):
    """The names are those of the enum in small letters; the value of each stands there too."""
    enum = [(value, name.lower()) for name, value in re.findall(r"^    STATUS_(\w+) = (\d+),", t["src/base/status.h"], re.M)]
    rows = [(code, name) for code, name, _ in table(t["docs/scripts.md"], "code", "name", "means")]
    if not enum or rows != enum:
        yield f"docs/scripts.md has the exit codes {rows}, src/base/status.h {enum}"


def run_formats_are_told(t):
    now = int(only(r"RUN_FORMAT_VERSION = (\d+)", t["src/run/run.h"]))
    text = t["docs/run-format.md"]
    if only(r"the format's version, now (\d+)\.", text) != str(now):
        yield f"docs/run-format.md does not say that the format is now {now}"
    rows = table(text, "format", "since", "written and read by", "new in it")
    if [row[0] for row in rows] != [str(i + 1) for i in range(now)]:
        yield f"docs/run-format.md: the table of formats has {[row[0] for row in rows]}, formats are 1 to {now}"
    told = [version for row in rows for version in re.findall(r"\d+\.\d+\.\d+", row[2])]
    if sorted(told) != sorted(version for version, _ in versions(t)):
        yield f"docs/run-format.md says which format gait {', '.join(told)} reads; CHANGELOG.md has other versions"


def files_have_these_versions(t):
    rows = table(t["docs/stability.md"], "file", "constant", "writes", "reads")
    if not rows:
        yield "docs/stability.md has no table of files"
    for _, constant, writes, reads in rows:
        name = constant.strip("`")
        value = only(rf"\b{name} = (\d+)", t["src"])
        oldest = only(rf"\b{name}_UNHASHED = (\d+)", t["src"])
        if (writes, reads) != (value, f"{oldest}, {value}" if oldest else value):
            yield f"docs/stability.md: {name} is told as {writes}, read {reads}; the source has {value}, older {oldest}"


CHECKS = [version_is_one, changelog_has_its_form, exit_codes_are_the_enum, run_formats_are_told, files_have_these_versions]
PLANTED = [  # check, text, what is replaced (a pattern), by what
    (version_is_one, "CMakeLists.txt", r"gait VERSION \d+", "gait VERSION 9"),
    (version_is_one, "debian/changelog", r"\A", "gait (9.0.0) unstable; urgency=low\n\n"),
    (version_is_one, "CHANGELOG.md", r"^## \[\d", "## [9"),
    (version_is_one, "docs/schema/stable-keys.tsv", r"\Z", "x\t.\tobject\t\t9.0.0\n"),
    (version_is_one, "packaging/wheel/pack", r"project", "other"),
    (changelog_has_its_form, "CHANGELOG.md", r"^## \[Unreleased\]\n", ""),
    (changelog_has_its_form, "CHANGELOG.md", r"^### Added", "### New"),
    (changelog_has_its_form, "CHANGELOG.md", r" - \d{4}-\d\d-\d\d$", " (unreleased)"),
    (changelog_has_its_form, "CHANGELOG.md", r"\Z", "\n## [99.0.0] - 2000-01-01\n"),
    (exit_codes_are_the_enum, "src/base/status.h", r"STATUS_INPUT = 3", "STATUS_INPUT = 5"),
    (exit_codes_are_the_enum, "docs/scripts.md", r"^\| 4 \| environment .*\n", ""),
    (run_formats_are_told, "src/run/run.h", r"RUN_FORMAT_VERSION = \d+", "RUN_FORMAT_VERSION = 99"),
    (run_formats_are_told, "docs/run-format.md", r"gait 0\.1\.0 \|", "|"),
    (run_formats_are_told, "docs/run-format.md", r"^\| 3 \| .*\n", ""),
    (files_have_these_versions, "docs/stability.md", r"\| 1, 2 \|", "| 2 |"),
    (files_have_these_versions, "src", r"\bSTATE_VERSION = 1\b", "STATE_VERSION = 2"),
]


def told(t):
    return [problem for check in CHECKS for problem in check(t)]


def planted_is_seen(t):
    for check, path, pattern, by in PLANTED:
        wrong, n = re.subn(pattern, by, t[path], count=1, flags=re.M)
        if not n or not list(check({**t, path: wrong})):
            yield f"{check.__name__} does not see {by!r} for {pattern!r} in {path}"


def analyze(gait, path):
    done = subprocess.run([gait, "analyze", path], capture_output=True, text=True)
    return done.returncode, done.stderr


def other_formats_are_refused(gait, root, now):
    """The committed run is read; as one of any other format it is refused with what to do."""
    kept = root / "tests/data/suspects/train.gait"
    data = kept.read_bytes()
    if struct.unpack_from(">I", data, USER_VERSION_AT)[0] != now:
        yield f"{kept} is not of format {now}: make it again"
        return
    code, said = analyze(gait, kept)
    if code != 0:
        yield f"{kept} has format {now} and is not read: a table changed, so raise RUN_FORMAT_VERSION. {said}"
    with tempfile.TemporaryDirectory() as work:
        path = pathlib.Path(work) / "other.gait"
        for version in [*range(1, now), now + 1]:
            shutil.copyfile(kept, path)
            with open(path, "r+b") as f:
                f.seek(USER_VERSION_AT)
                f.write(struct.pack(">I", version))
            code, said = analyze(gait, path)
            remedy = "make it again" if version < now else "use a newer gait"
            if code != 3 or f"run format {version}" not in said or remedy not in said:
                yield f"a run of format {version}: exit code {code}, {said}"


def declared(sqlite3, path):
    """What a run file declares: the tables, and the views that have the words of enums."""
    run = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    found = dict(run.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    run.close()
    return found


def tables_are_the_formats(gait, root):
    """A run that is written now has the tables and the words of the committed one."""
    try:
        import sqlite3
    except ImportError:
        print("tables are not compared: this Python has no sqlite3")
        return
    with tempfile.TemporaryDirectory() as work:
        new, planted = pathlib.Path(work) / "new.gait", pathlib.Path(work) / "planted.gait"
        subprocess.run([gait, "import", root / "examples/three_steps.trace.json", "-o", new, "-q"], check=True)
        kept, now = declared(sqlite3, root / "tests/data/suspects/train.gait"), declared(sqlite3, new)
        shutil.copyfile(new, planted)
        run = sqlite3.connect(planted)
        run.execute("ALTER TABLE raw_notes ADD COLUMN planted INTEGER")
        run.close()
        if declared(sqlite3, planted) == now:
            yield "a planted column is not seen"
    for name in sorted(set(kept) | set(now)):
        if kept.get(name) != now.get(name):
            yield f"{name} of a run changed without another format: raise RUN_FORMAT_VERSION, tell it in docs/run-format.md"


def main(gait, root):
    root = pathlib.Path(root)
    t = {path: (root / path).read_text() for path in TEXTS}
    t["src"] = "\n".join(line for p in sorted((root / "src").rglob("*.[ch]")) for line in p.read_text().splitlines()
                         if "_VERSION" in line)
    problems = told(t) + list(planted_is_seen(t))
    program = json.loads(subprocess.run([gait, "version", "--json"], capture_output=True, check=True).stdout)["gait"]
    if program != versions(t)[0][0]:
        problems.append(f"gait version says {program}, CHANGELOG.md {versions(t)[0][0]}")
    now = int(only(r"RUN_FORMAT_VERSION = (\d+)", t["src/run/run.h"]))
    problems += [*other_formats_are_refused(gait, root, now), *tables_are_the_formats(gait, root)]
    print("\n".join(problems) or f"gait {program}, run format {now}: {len(CHECKS)} checks, {len(PLANTED)} planted faults seen")
    return len(problems) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
