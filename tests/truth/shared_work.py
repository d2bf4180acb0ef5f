"""How alike the operators of different jobs are, as `gait verify` compares them: over all pairs of recordings in a folder.
shared_work.py FOLDER [LIMIT]     the limit is that of src/verify/shared_work.c"""
import glob
import itertools
import os
import sqlite3
import statistics
import sys

TIMES = "select name, sum(self_ns) from ops where kind = 'op' and place = 'cpu' and self_ns > 0 group by name"


def times(path):
    """Time in operators of the host, by name."""
    run = sqlite3.connect("file:%s?mode=ro" % os.path.abspath(path), uri=True)
    try:
        return dict(run.execute(TIMES))
    finally:
        run.close()


def lesser_part(a, b):
    """Of the time in operators that both have: the part of the run that has less of it."""
    both = a.keys() & b.keys()
    return min(sum(x[name] for name in both) / sum(x.values()) for x in (a, b))


def main():
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 0.3
    jobs = [x for x in map(times, sorted(glob.glob(os.path.join(sys.argv[1], "*.gait")))) if x]
    parts = [lesser_part(a, b) for a, b in itertools.combinations(jobs, 2)]
    below = sum(part < limit for part in parts)
    print(f"{len(jobs)} jobs, {len(parts)} pairs: the lesser part is below {100 * limit:.0f} % in {below} "
          f"({100 * below / len(parts):.0f} %), median {100 * statistics.median(parts):.0f} %, least {100 * min(parts):.0f} %")


if __name__ == "__main__":
    main()
