"""What was predicted and measured, a row of JSON each, appended as soon as it is known; so an interrupted run goes on.

Rows: "prediction" (findings of the recording), "bare" (findings of its bare trace), "truth" (fixed over slow), "floor" (slow over
slow), "other RULE" (slow under a remedy of remedies.py over slow). Each has the time it was made and a digest of the case's files:
a row of another job does not count, and a prediction is blind if it is older than the truth. A prediction says by which predictor
it was made; another one records and predicts again, and is not blind where a truth is known. The first rows of a case are what its
round is judged by; the newest are what Gait says now. Both are committed as KEPT when docs/truth.md is written.
"""
import datetime
import hashlib
import json
import os

from cases import HERE, JOBS, job_file

KEPT = os.path.join(HERE, "results.jsonl")
SHARED = ("models.py", "training.py")
DIGESTED = ("name", "slow", "fixed", "processes", "same_losses", "work", "steps", "block", "skip")


def digest(case):
    """Of what the case runs and how it is measured."""
    h = hashlib.sha256(repr(sorted((name, getattr(case, name)) for name in DIGESTED)).encode())
    for path in (*(os.path.join(JOBS, name) for name in SHARED), *(job_file(c) for c in (case.slow, case.fixed) if c)):
        with open(path, "rb") as file:
            h.update(file.read())
    return h.hexdigest()[:16]


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")


class Results:
    """The rows of a file, after those that are kept, which are only read."""

    def __init__(self, path, kept=None):
        self.path, self.rows, self.first_rows = path, {}, {}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        for source in (kept, path):
            if source and os.path.exists(source):
                self._read(source)

    def _read(self, path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    self._put(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    continue  # the line that an interruption cut

    def _put(self, row):
        key = row["row"], row["case"], row["digest"]
        if row["at"] >= self.rows.get(key, row)["at"]:
            self.rows[key] = row
        if row["at"] <= self.first_rows.get(key, row)["at"]:
            self.first_rows[key] = row

    def get(self, what, case, first=False):
        """The newest row of this kind for the case as it is now, or the first one, or None."""
        return (self.first_rows if first else self.rows).get((what, case.name, digest(case)))

    def add(self, what, case, **values):
        row = {"row": what, "case": case.name, "digest": digest(case), "at": now(), **values}
        with open(self.path, "a+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() and not self._ends_with_newline():
                file.write("\n")
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._put(row)

    def _ends_with_newline(self):
        with open(self.path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def keep(self, cases, path=KEPT):
        """Writes the first and the newest rows of the cases as they are now."""
        of_now = {(case.name, digest(case)): i for i, case in enumerate(cases)}
        rows = [row for key in self.rows if key[1:] in of_now
                for row in ([self.first_rows[key]] if self.first_rows[key] == self.rows[key] else
                            [self.first_rows[key], self.rows[key]])]
        rows.sort(key=lambda row: (of_now[row["case"], row["digest"]], row["at"], row["row"]))
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        os.replace(path + ".new", path)
