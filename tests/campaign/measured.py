"""Commands under limits, with what they took. Linux counts the memory of whoever starts a process as that of the process, so
a small helper starts them: this file, run as a program, takes a request a line and answers each with a line.

    with Measured() as runner:
        ended = runner.run(arguments, cwd, seconds=40, address_bytes=8 << 30)
        ended["code"] (negative: a signal), ["wall"], ["cpu"], ["mib"]; output lies in cwd/stdout and cwd/stderr
"""
import json
import os
import queue
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

OUTPUT_BYTES = 1 << 30


class Measured:
    """So many helpers; run() may be called by so many threads at once."""

    def __init__(self, jobs):
        self.all = [subprocess.Popen([sys.executable, "-S", str(Path(__file__).resolve())], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True) for _ in range(jobs)]
        self.free = queue.SimpleQueue()
        for helper in self.all:
            self.free.put(helper)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for helper in self.all:
            helper.stdin.close()
            helper.wait()

    def run(self, arguments, cwd, seconds, address_bytes=0, environment=None):
        helper = self.free.get()
        try:
            helper.stdin.write(json.dumps([[str(a) for a in arguments], str(cwd), seconds, address_bytes, environment or {}]) + "\n")
            helper.stdin.flush()
            return json.loads(helper.stdout.readline())
        finally:
            self.free.put(helper)


def _begin(arguments, cwd, address_bytes, environment):
    """In the child: its folder, its files, its limits, then the command. Does not return."""
    os.setsid()
    os.chdir(cwd)
    for name, target in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), target)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES, OUTPUT_BYTES))
    if address_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (address_bytes, address_bytes))
    os.execve(arguments[0], arguments, {**os.environ, **environment})


def _run(arguments, cwd, seconds, address_bytes, environment):
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            _begin(arguments, cwd, address_bytes, environment)
        finally:
            os._exit(127)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, used = os.wait4(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"code": os.waitstatus_to_exitcode(status), "wall": time.monotonic() - begin, "cpu": used.ru_utime + used.ru_stime,
            "mib": used.ru_maxrss / 1024}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_run(*json.loads(line))), flush=True)
