"""What every campaign shares: its options, the cases in parallel, a table, a last line of JSON.

A campaign is an executable file beside this one. It makes `Case`s from a seed, each with a group (a row of
the table) and a name that is enough to run it again, and gives a function that tries one of them:

    campaign = Campaign("kill", __doc__, size=24)
    campaign.run(cases, try_case)       # try_case(case) returns None where it held, else what went wrong;
                                        # or a list [(case, wrong), …] where it tried several
    campaign.finish()                   # table, failures, JSON; the exit code is 1 where something broke

Skip with `campaign.skip(reason)`: exit code 77, as everywhere in the tests.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAILURES_SHOWN = 20


@dataclass(frozen=True)
class Case:
    group: str  # a row of the table
    name: str  # what distinguishes the case, with --seed enough to run it again
    data: dict = field(default_factory=dict, compare=False)  # what the campaign needs to try it


class Campaign:
    def __init__(self, name, doc, size, build="build", jobs=None):
        parser = argparse.ArgumentParser(prog=f"tests/campaign/{name}", description=doc,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--size", type=int, default=size, help=f"how many cases [{size}]")
        parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same cases [1]")
        parser.add_argument("--jobs", type=int, default=jobs or os.cpu_count(), help="cases at once")
        parser.add_argument("--build", default=build, help=f"the build folder [{build}]")
        parser.add_argument("--only", default="", help="only cases whose name contains this")
        parser.add_argument("--shown", type=int, default=FAILURES_SHOWN,
                            help=f"how many broken cases to print [{FAILURES_SHOWN}]")
        parser.add_argument("--keep", action="store_true", help="keep the working folder, and name it")
        self.name, self.options = name, parser.parse_args()
        self.random = random.Random(self.options.seed)
        self.build = (ROOT / self.options.build).resolve()
        self.gait = self.build / "gait"
        self.folder = Path(tempfile.mkdtemp(prefix=f"gait-{name}-"))
        self.begin, self.commit = time.monotonic(), commit()
        self.tried, self.broken = {}, []  # group -> count; (case, what went wrong)
        self.lock = threading.Lock()
        self.aside = {}  # group -> count: neither held nor broken, see note_aside
        self.extra = {}  # further figures for the JSON line

    def skip(self, reason):
        print(f"skipped: {reason}")
        self._clean()
        sys.exit(77)

    def need(self, path, how="make"):
        if not Path(path).exists():
            sys.exit(f"{path} does not exist; {how} builds it")

    def run(self, cases, try_case):
        """Try all cases, --jobs at once. An exception counts as broken: it is the campaign's own fault."""
        cases = [c for c in cases if self.options.only in c.name]
        done = 0
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            running = {pool.submit(try_case, c): c for c in cases}
            for future in concurrent.futures.as_completed(running):
                case, failure = running[future], future.exception()
                wrong = f"campaign failed: {failure!r}" if failure else future.result()
                if isinstance(wrong, list):
                    for one, its_wrong in wrong:
                        self.note(one, its_wrong)
                else:
                    self.note(case, wrong)
                done += 1
                self._progress(done, len(cases))

    def note(self, case, wrong=None):
        """Count one case by hand: for campaigns that try many cases in one process."""
        self.tried[case.group] = self.tried.get(case.group, 0) + 1
        if wrong:
            self.broken.append((case, wrong))
            print(f"broken: {case.name}: {wrong}", file=sys.stderr, flush=True)  # at once: a campaign can take hours

    def note_aside(self, case):
        """A case that ended in a way that is not the program's own: it has a column for itself."""
        with self.lock:
            self.aside[case.group] = self.aside.get(case.group, 0) + 1

    def note_many(self, group, count):
        """Count cases that held without naming each."""
        self.tried[group] = self.tried.get(group, 0) + count

    def finish(self):
        seconds = time.monotonic() - self.begin
        tried, broken, aside = sum(self.tried.values()), len(self.broken), sum(self.aside.values())
        self._table()
        shown = self.options.shown
        for case, wrong in self.broken[:shown]:
            print(f"BROKEN  {case.group}: {case.name}\n        {wrong}")
        if broken > shown:
            print(f"        and {broken - shown} more")
        if not tried:
            print("no case was tried: nothing was shown")
        print(json.dumps({"campaign": self.name, "size": tried, "seed": self.options.seed,
                          "held": tried - broken - aside, "aside": aside, "broken": broken, "seconds": round(seconds, 1),
                          "per_second": round(tried / seconds, 2), "commit": self.commit,
                          "groups": self.tried, **self.extra}))
        self._clean()
        sys.exit(1 if broken or not tried else 0)

    def _table(self):
        width = max([len(g) for g in self.tried] + [len("all")])
        lost = {g: sum(1 for c, _ in self.broken if c.group == g) for g in self.tried}
        heads = ["tried", "held"] + ["aside"] * bool(self.aside) + ["broken"]
        rows = [[n, n - lost[g] - self.aside.get(g, 0)] + [self.aside.get(g, 0)] * bool(self.aside) + [lost[g]]
                for g, n in sorted(self.tried.items())]
        total = [sum(column) for column in zip(*rows)] if rows else [0] * len(heads)
        print(f"{'':{width}}" + "".join(f"  {h:>9}" for h in heads))
        for name, row in zip([*sorted(self.tried), "all"], [*rows, total]):
            print(f"{name:{width}}" + "".join(f"  {n:>9,}" for n in row))

    def _progress(self, done, total):
        if not sys.stderr.isatty() and done % max(1, total // 20):
            return
        passed = time.monotonic() - self.begin
        left = passed / done * (total - done)
        end = "\r" if sys.stderr.isatty() and done < total else "\n"
        print(f"{self.name}  {done}/{total}  {len(self.broken)} broken  ETA {left:.0f} s   ", end=end,
              file=sys.stderr, flush=True)

    def _clean(self):
        if self.options.keep:
            print(f"kept {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def commit():
    """The commit that was tried, with a + where files differ from it."""
    try:
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True,
                              capture_output=True, check=True).stdout.strip()
        changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, text=True,
                                 capture_output=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")
