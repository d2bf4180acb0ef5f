"""The seeds of fuzz_run, made anew for the run format of today: small pages, no views, so that a fuzzer's bytes hit rows.

    make_run_seeds.py GAIT
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SEEDS = {"three_steps": (), "aggregates_only": ("--keep-spans", "1")}


def main():
    trace = os.path.join(ROOT, "examples", "three_steps.trace.json")
    with tempfile.TemporaryDirectory() as work:
        for name, options in SEEDS.items():
            path = os.path.join(work, "run.gait")
            subprocess.run([sys.argv[1], "import", "-q", *options, trace, "-o", path], check=True)
            db = sqlite3.connect(path, isolation_level=None)
            for (view,) in db.execute("select name from sqlite_master where type = 'view'").fetchall():
                db.execute(f"drop view {view}")
            db.execute("pragma page_size = 512")
            db.execute("vacuum")
            db.close()
            os.replace(path, os.path.join(ROOT, "tests", "fuzz", "corpus", "run", name))


main()
