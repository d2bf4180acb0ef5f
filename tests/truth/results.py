"""What was predicted and measured, a row of JSON each, appended as soon as it is known; so an interrupted run goes on.

Rows: "prediction" (findings of the recording), "bare" (findings of its bare trace), "truth" (fixed over slow), "floor" (slow over
slow), "other RULE" (slow under a remedy of remedies.py over slow). Each has the time it was made and a digest of the case's files:
a row of another job does not count, and a prediction is blind if it is older than the truth. A prediction says by which predictor
it was made; another one records and predicts again, and is not blind where a truth is known.
"""
import dataclasses
import datetime
import hashlib
import json
import os

from cases import JOBS, job_file

SHARED = ("models.py", "training.py")


def digest(case):
    """Of what the case runs and how it is measured."""
    words = {k: v for k, v in dataclasses.asdict(case).items() if k not in ("note", "rule", "kind", "set")}
    h = hashlib.sha256(repr(sorted(words.items())).encode())
    for path in (*(os.path.join(JOBS, name) for name in SHARED), *(job_file(c) for c in (case.slow, case.fixed) if c)):
        with open(path, "rb") as file:
            h.update(file.read())
    return h.hexdigest()[:16]


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")


class Results:
    def __init__(self, path):
        self.path, self.rows = path, {}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        if os.path.exists(path):
            self._read()

    def _read(self):
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                try:
                    row = json.loads(line)
                    self.rows[row["row"], row["case"], row["digest"]] = row
                except (ValueError, KeyError, TypeError):
                    continue  # the line that an interruption cut

    def get(self, what, case):
        """The newest row of this kind for the case as it is now, or None."""
        return self.rows.get((what, case.name, digest(case)))

    def add(self, what, case, **values):
        row = {"row": what, "case": case.name, "digest": digest(case), "at": now(), **values}
        with open(self.path, "a+", encoding="utf-8") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() and not self._ends_with_newline():
                file.write("\n")
            file.write(json.dumps(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.rows[what, case.name, row["digest"]] = row

    def _ends_with_newline(self):
        with open(self.path, "rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"
