"""Each example of examples/callbacks against `gait record` of the same job: callbacks.py GAIT ROOT WORK

The package gait_ml is put together as the wheel has it: its Python, the hook and the program side by side."""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

GAIT, ROOT, WORK = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
JOBS = "callback_hugging_face", "callback_lightning"
LESS = {"WARMUP": "2", "ROUNDS": "2", "UNTRACED": "3", "TRACED": "3", "REPLACEMENTS": "0"}  # of a recording: both ways the same
STEPS = 140  # enough for all parts where the first 50 steps are too uneven to begin, and the most are sampled


def package():
    made = WORK / "site" / "gait_ml"
    made.mkdir(parents=True)
    for source in (ROOT / "packaging/wheel/gait_ml").glob("*.py"):
        shutil.copy(source, made)
    (made / "hook").symlink_to(ROOT / "hook")
    (made / "gait").symlink_to(GAIT)
    return made.parent


def run(command, **variables):
    ended = subprocess.run([str(word) for word in command], cwd=WORK, capture_output=True, text=True,
                           env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{SITE}:{ROOT / 'examples/callbacks'}", **variables})
    return ended.returncode, ended.stdout, ended.stderr


def rows(run_file, question):
    with contextlib.closing(sqlite3.connect(run_file)) as db:
        return db.execute(question).fetchall()


def what_was_recorded(run_file):
    """All that does not depend on time."""
    code, out, said = run([GAIT, "explain", "--json", run_file])
    assert code == 0, said
    return {
        "losses": rows(run_file, "select step, loss from losses order by step"),
        "movements": rows(run_file, "select name, what, step, norm, along0 from movements where step <= 8 order by 1, 2, 3"),
        "timings": rows(run_file, "select distinct what from timings order by what"),
        "watched operators": rows(run_file, "select count(*) from watched_ops"),
        "operators": rows(run_file, "select name, sum(count) from ops where kind = 'op' group by name order by name"),
        "rules that could not be asked": sorted(r["rule"] for r in json.loads(out)["rules"] if r["outcome"] == "not_asked"),
    }


def check(job):
    script = ROOT / "tests/record/jobs" / (job + ".py")
    inside, outside = WORK / (job + "-inside.gait"), WORK / (job + "-outside.gait")
    code, said_inside, errors = run([sys.executable, script, inside], **{"GAIT_RECORD_" + k: v for k, v in LESS.items()})
    if code == 77:
        print(said_inside.strip() + ": left out")
        return False
    assert code == 0 and inside.exists(), errors
    assert f"{STEPS} optimizer steps" in errors and "next: gait analyze" in errors, errors
    assert not list(WORK.glob("*-inside.gait.*")), "the folder is left"
    code, said_outside, errors = run([GAIT, "record", *("--%s=%s" % (k.lower(), v) for k, v in LESS.items()), "-o", outside, "--",
                                      sys.executable, script])
    assert code == 0, errors
    assert said_inside == said_outside and "final" in said_inside, (said_inside, said_outside)
    there, here = what_was_recorded(outside), what_was_recorded(inside)
    for what in there:
        assert here[what] == there[what] and there[what], (job, what, here[what], there[what])
    assert len(here["losses"]) == STEPS
    print(job, "records inside what is recorded from outside:", ", ".join(here))
    return True


def check_recorded_from_outside():
    """Under `gait record` the callback leaves the work to it."""
    code, _, errors = run([GAIT, "record", "--rounds", "1", "--replacements", "0", "-o", WORK / "both.gait", "--", sys.executable,
                           ROOT / "tests/record/jobs/callback_lightning.py", WORK / "not-made.gait"])
    assert code == 0 and (WORK / "both.gait").exists() and not list(WORK.glob("not-made*")), errors


def run_forks(name, *arguments):
    code, _, errors = run([sys.executable, ROOT / "tests/record/jobs/callback_forks.py", WORK / (name + ".gait"), *arguments],
                          GAIT_RECORD_ROUNDS="1", GAIT_RECORD_REPLACEMENTS="0")
    assert code == 0 and not list(WORK.glob(name + ".gait.*")), errors
    return errors


def check_forks():
    """A child's end is not the job's."""
    errors = run_forks("forks")
    assert "90 optimizer steps" in errors and errors.count("next: gait analyze") == 1, errors
    assert len(rows(WORK / "forks.gait", "select step from losses")) == 90
    errors = run_forks("no-folder", "no-folder")
    assert "was removed while the job ran" in errors and "kept" not in errors and not (WORK / "no-folder.gait").exists(), errors
    print("forked children leave the recording alone; a folder that is gone is said to be")


def run_ranks(name, *arguments):
    """What two ranks said, and which of them are in the run. The job's own communication works afterwards."""
    run_file = WORK / (name + ".gait")
    code, out, errors = run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                             ROOT / "tests/record/jobs/callback_ranks.py", run_file, *arguments],
                            GAIT_RECORD_ROUNDS="1", GAIT_RECORD_REPLACEMENTS="0")
    assert code == 0 and out.count("all_reduce of 2,") == 2, (out, errors)
    return out, errors, [rank for rank, in rows(run_file, 'select "rank" from ranks order by 1')]


def check_ranks():
    """Rank 0 makes one run of what both have written."""
    _, errors, ranks = run_ranks("ranks")
    assert ranks == [0, 1] and "recorded to their end" not in errors, errors
    assert not list(WORK.glob("ranks.gait.*")), "the folder is left"
    print("two ranks make one run")


def check_rank_that_cannot_record():
    """The other one records, and nobody waits for it."""
    for rank in 0, 1:
        name = "without-%d" % rank
        _, errors, ranks = run_ranks(name, rank, "no-files")
        assert ranks == [1 - rank], errors
        assert f"nothing is recorded of rank {rank}: OSError" in errors and "1 of 2 ranks recorded to their end\n" in errors, errors
        assert not list(WORK.glob(name + ".gait.*")), "the folder is left"
        print("rank", rank, "cannot record: the run has the other one")


def check_rank_that_does_not_end():
    """Rank 0 waits for it for a bounded time, and keeps the folder into which it may still write."""
    out, errors, ranks = run_ranks("late", 1, "no-end")
    waited = float(out.split("rank 0: ")[1].split("end() took ")[1].split()[0])
    assert ranks[0] == 0 and "not heard of: rank 1\n" in errors and "its run is made again by" in errors, errors
    assert 2 <= waited < 20, waited  # its bound here, and where the job's communication gives up
    assert list(WORK.glob("late.gait.*")), "the folder is gone"
    print("a rank that does not end is waited for so long, and no longer")


SITE = package()
done = [job for job in JOBS if check(job)]
if "callback_lightning" in done:
    check_recorded_from_outside()
check_forks()
check_ranks()
check_rank_that_cannot_record()
check_rank_that_does_not_end()
sys.exit(0 if done else 77)
