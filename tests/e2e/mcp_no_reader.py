"""`gait mcp` with clients that do not read, read late, or go away: python3 mcp_no_reader.py GAIT FOLDER"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

gait, work = sys.argv[1], Path(sys.argv[2])
SECONDS = 30  # for what takes moments; sanitizers and a busy machine are slow
FOREVER = 300  # how long a job would run if nobody ended it
TIMEOUT = 3  # of the call that is to be ended


servers = []


def server(stdin=subprocess.PIPE, stdout=subprocess.PIPE):
    servers.append(subprocess.Popen([gait, "mcp"], cwd=work, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, bufsize=0))
    return servers[-1]


def request(name, method, params=None):
    return json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params or {}}).encode() + b"\n"


def call_of_a_job(pid_file, **arguments):
    """A handshake, and a recording of a job that says its number and then sleeps."""
    command = ["sh", "-c", f"echo $$ >{pid_file}.part; mv {pid_file}.part {pid_file}; exec sleep {FOREVER}"]
    return (request("hello", "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
            + request("job", "tools/call", {"name": "record", "arguments": {"command": command, "output": "r.gait", **arguments}}))


def pings(n):
    return b"".join(request(f"{i:0100}", "ping") for i in range(n))


def wait_for(what, is_so):
    until = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > until:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        time.sleep(0.05)


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def pid_in(name):
    wait_for("the job of a call runs", (work / name).exists)
    return int((work / name).read_text())


def write_until_full(process, data):
    """What the server takes without that we read, and waits until it takes no more."""
    fd = process.stdin.fileno()
    os.set_blocking(fd, False)
    last = time.monotonic()
    while data and time.monotonic() - last < 0.5:
        try:
            data = data[os.write(fd, data):]
            last = time.monotonic()
        except BlockingIOError:
            time.sleep(0.02)


def write_all(stream, data):
    with stream:
        view = memoryview(data)
        while view:
            view = view[stream.write(view):]


def a_client_that_does_not_read_can_end_the_server():
    for n in 1_200, 40_000:  # more than a pipe holds; more than the server keeps
        p = server()
        p.stdin.write(pings(1))
        p.stdout.readline()  # from here on signals are its own
        write_until_full(p, pings(n))
        time.sleep(0.5)
        p.send_signal(signal.SIGTERM)
        wait_for(f"SIGTERM ends it, {n} pings are not read", lambda: p.poll() is not None)
        assert p.returncode == 128 + signal.SIGTERM, p.returncode


def time_limits_hold_while_nobody_reads():
    p = server()
    p.stdin.write(call_of_a_job("limited", timeout_s=TIMEOUT))
    pid = pid_in("limited")
    write_until_full(p, pings(1_200))
    wait_for("timeout_s ends a call", lambda: not runs(pid))
    assert p.poll() is None
    p.send_signal(signal.SIGTERM)
    p.wait(SECONDS)


def who_reads_late_loses_nothing():
    n = 40_000
    p = server()
    writer = threading.Thread(target=write_all, args=(p.stdin, pings(n)), daemon=True)
    writer.start()
    time.sleep(2)
    status = Path(f"/proc/{p.pid}/status").read_text()
    assert writer.is_alive(), "the server takes messages without end though nobody reads"
    names = [json.loads(line)["id"] for line in p.stdout]
    writer.join()
    assert names == [f"{i:0100}" for i in range(n)], len(names)
    assert p.wait(SECONDS) == 0, p.returncode
    return next(line for line in status.splitlines() if line.startswith("VmHWM"))


def a_client_that_goes_away_ends_its_calls():
    ours, theirs = socket.socketpair()
    p = server(theirs, theirs)
    theirs.close()
    ours.sendall(call_of_a_job("gone"))
    pid = pid_in("gone")
    ours.recv(1 << 16)  # the handshake: closed with something unread, a socket is in error and does not only hang up
    ours.close()
    wait_for("the job of a client that is gone is ended", lambda: not runs(pid))
    wait_for("the server of a client that is gone ends", lambda: p.poll() is not None)
    assert p.returncode == 0, p.returncode


def output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "wb") as full:
        p = server(stdout=full)
    _, said = p.communicate(request(1, "ping"), SECONDS)
    assert p.returncode == 4 and b"cannot write" in said, (p.returncode, said)


failed = 0
for test in (a_client_that_does_not_read_can_end_the_server, time_limits_hold_while_nobody_reads, who_reads_late_loses_nothing,
             a_client_that_goes_away_ends_its_calls, output_that_cannot_be_written_is_an_error):
    begin = time.monotonic()
    try:
        said = test() or "ok"
    except (AssertionError, OSError, ValueError, subprocess.TimeoutExpired) as e:
        said, failed = f"FAILED: {e!r}", 1
    print(f"{test.__name__}: {time.monotonic() - begin:.1f} s, {said}", flush=True)
for p in servers:
    if p.poll() is None:
        p.kill()
sys.exit(failed)
