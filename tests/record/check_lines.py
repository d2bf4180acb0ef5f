"""Are the findings of a run those that a job's comments name, at their lines? check_lines.py GAIT RUN JOB.py"""
import json
import os
import re
import sqlite3
import subprocess
import sys

gait, run, job = sys.argv[1:]
wanted = {}  # rule → lines
with open(job) as f:
    for number, line in enumerate(f, 1):
        named = re.search(r"  # ([a-z]+(?:-[a-z]+)+)$", line.rstrip())
        if named:
            wanted.setdefault(named.group(1), set()).add(number)
told = {}
pairs, = sqlite3.connect(run).execute("select count(*) from replacements where rule = 'repeated'").fetchone()
assert pairs or "repeated-work" not in wanted, "no steps were run without what is repeated"
for finding in json.loads(subprocess.run([gait, "analyze", "--json", run], check=True, capture_output=True).stdout)["findings"]:
    lines = {line["line"] for line in finding["lines"] if os.path.basename(line["file"]) == os.path.basename(job)}
    told.setdefault(finding["rule"], set()).update(lines)
    texts = [line["text"] for line in finding["lines"]]
    assert all(texts), "a statement without its text: %r" % texts
    if finding["rule"] == "repeated-work" and pairs < 5:  # too few to be a price; more of them may tell nothing on a noisy machine
        assert finding["price"]["kind"] == "replayed", (pairs, finding["price"])
EXACT = {"backward-twice", "zeros-computed", "partly-used", "rows-repeated"}  # nothing else is so in these jobs
more = {rule: sorted(told[rule]) for rule in EXACT & set(told) if not told[rule] & wanted.get(rule, set())}
assert not more, "told where nothing is: %s" % more
missing = {rule for rule, lines in wanted.items() if not lines & told.get(rule, set())}
print("told:", {rule: sorted(lines) for rule, lines in sorted(told.items())})
if missing:
    sys.exit("not told at its line: %s; wanted %s" % (sorted(missing), {rule: sorted(wanted[rule]) for rule in sorted(missing)}))
