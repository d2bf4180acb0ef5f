"""Cores and memory of the machine, and what an event of the tracer costs."""
import os
import sys
import tempfile
from time import monotonic

import torch
from gait_hook import beside, free_memory
from gait_hook.recording import other_programs, process_settings
from gait_hook.cores import cpus_and_cores
from gait_hook.free_memory import host_free_bytes
from gait_hook.recording.other_programs import OtherPrograms
from gait_hook.recording.tracer import Tracer


def put(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def two_cpus_of_a_core_are_one_core_and_a_quota_caps_them():
    with tempfile.TemporaryDirectory() as root:
        assert cpus_and_cores(root, {0, 1}) == (2, None)  # nothing is told
        for cpu in range(8):
            topology = "sys/devices/system/cpu/cpu%d/topology/" % cpu
            put(root, topology + "physical_package_id", "%d\n" % (cpu % 4 // 2))
            put(root, topology + "core_id", "%d\n" % (cpu % 2))
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
        assert cpus_and_cores(root, {0, 4, 1}) == (3, 2)
        put(root, "proc/self/cgroup", "1:cpu:/old\n0::/jobs/mine\n")
        put(root, "sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n")
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
        put(root, "sys/fs/cgroup/jobs/cpu.max", "250000 100000\n")
        assert cpus_and_cores(root, set(range(8))) == (3, 3)
        put(root, "sys/fs/cgroup/jobs/cpu.max", "damaged\n")
        assert cpus_and_cores(root, set(range(8))) == (8, 4)
    cpus, cores = cpus_and_cores()
    assert cpus >= 1 and (cores is None or 1 <= cores <= cpus)


def free_memory_is_that_of_the_tightest_group_shared_by_the_jobs_processes():
    with tempfile.TemporaryDirectory() as root:
        put(root, "proc/meminfo", "MemTotal: 900 kB\nMemAvailable: 800 kB\n")
        assert host_free_bytes(root) == 800 * 1024
        put(root, "proc/self/cgroup", "5:cpu,memory:/old/job\n0::/jobs/mine\n")
        put(root, "sys/fs/cgroup/jobs/mine/memory.max", "max\n")
        put(root, "sys/fs/cgroup/jobs/mine/memory.current", "100\n")
        put(root, "sys/fs/cgroup/memory/old/job/memory.limit_in_bytes", "9223372036854771712\n")
        put(root, "sys/fs/cgroup/memory/old/job/memory.usage_in_bytes", "100\n")
        assert host_free_bytes(root) == 800 * 1024
        put(root, "sys/fs/cgroup/jobs/memory.max", "7000\n")
        put(root, "sys/fs/cgroup/jobs/memory.current", "1000\n")
        assert host_free_bytes(root) == 6000
        put(root, "sys/fs/cgroup/memory/old/memory.limit_in_bytes", "5000\n")
        put(root, "sys/fs/cgroup/memory/old/memory.usage_in_bytes", "2000\n")
        assert host_free_bytes(root) == 3000
    free_memory.host_free_bytes, kept = (lambda: 4000), free_memory.host_free_bytes
    os.environ["LOCAL_WORLD_SIZE"] = "4"
    try:
        assert beside.free_bytes(torch.device("cpu")) == 1000
    finally:
        free_memory.host_free_bytes = kept
        del os.environ["LOCAL_WORLD_SIZE"]
    assert beside.free_bytes(torch.device("cpu")) > 0


def put_process(root, pid, parent, ticks, children=(), folder="/record"):
    """ticks: its own, then of children that have ended."""
    put(root, "proc/%d/stat" % pid, "%d (odd) name) S %d 1 1 0 0 0 0 0 0 0 %d 0 %d 0 20\n" % (pid, parent, *ticks))
    put(root, "proc/%d/environ" % pid, "A=b\0GAIT_RECORD_DIR=%s\0" % folder)
    put(root, "proc/%d/task/%d/children" % (pid, pid), " ".join(map(str, children)))


def put_busy(root, ticks):
    """Of each CPU that this test may use, spread over what counts; and idle time, which does not."""
    rows = ["cpu%d %d 0 0 99 7 1 1 9 5 0" % (cpu, ticks - 2) for cpu in os.sched_getaffinity(0)]
    put(root, "proc/stat", "cpu 1 2 3\n" + "\n".join(rows) + "\nintr 5\n")


def other_programs_are_what_is_busy_and_not_the_jobs_own():
    cpus, second = len(os.sched_getaffinity(0)), os.sysconf("SC_CLK_TCK")
    with tempfile.TemporaryDirectory() as root:
        def of(first_ticks, rank_ticks):
            put_process(root, 10, 1, first_ticks, [20, 21])  # a launcher, one that started it, and two ranks
            put_process(root, 1, 0, (5, 5), [10], folder="/another")
            put_process(root, 20, 10, (rank_ticks, 0))
            put_process(root, 21, 10, (rank_ticks, 0))

        of((0, 0), 100)
        put_busy(root, 1000)
        others = OtherPrograms("/record", root, pid=20)
        clock, other_programs.monotonic = [50.0], lambda: clock[0]
        try:
            others.begin()
            of((second, second), 100 + second)  # one of the launcher's children ended, with a second
            put_busy(root, 1000 + 8 * second)
            clock[0] += 10
            assert abs(others.cpus() - (8 * cpus - 4) / 10) < 1e-9, others.cpus()
            put_busy(root, 1000)
            assert others.cpus() == 0
            of((0, 0), 0)
            assert others.cpus() is None  # a process of the job is gone, and with it what it ran
        finally:
            other_programs.monotonic = monotonic
        os.remove(os.path.join(root, "proc/20/task/20/children"))
        assert OtherPrograms("/elsewhere", root, pid=20).cpus() is None
    assert OtherPrograms("/record", "/nowhere").cpus() is None


def an_event_costs_what_it_costs_on_the_cpu():
    seen, zeros = [], torch.zeros

    def watched(*args, **kwargs):
        seen.append(zeros(*args, **kwargs))
        return seen[-1]

    torch.zeros = watched
    try:
        with torch.device("meta"):
            Tracer().event_cost_ns()
    finally:
        torch.zeros = zeros
    assert [x.device.type for x in seen] == ["cpu"], seen


def settings_that_are_on_are_told():
    def of(device="cpu", anomaly=False, python_frac=0.0):
        told = process_settings.facts(device, anomaly, python_frac)
        told.pop("environment", None)
        return told

    assert of() == {}
    assert of(anomaly=True) == {"anomaly_detection": 1}
    assert of(python_frac=0.04) == {} and of(python_frac=0.3) == {"python_dispatch": 0.3}
    torch.use_deterministic_algorithms(True)
    sys.settrace(lambda *args: None)
    kept = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    os.environ.update(CUDA_LAUNCH_BLOCKING="1", MALLOC_ARENA_MAX="2", TORCH_DISTRIBUTED_DEBUG="DETAIL")
    try:
        assert of() == {"deterministic_algorithms": 1, "trace_function": 1, "onednn_off": 1}
        assert set(of("cuda")) == {"deterministic_algorithms", "trace_function", "launch_blocking"}
        assert "MALLOC_ARENA_MAX=2" in process_settings.facts("cpu", False, 0)["environment"]
    finally:
        torch.use_deterministic_algorithms(False)
        sys.settrace(None)
        torch._C._set_mkldnn_enabled(kept)
        for name in ("CUDA_LAUNCH_BLOCKING", "MALLOC_ARENA_MAX", "TORCH_DISTRIBUTED_DEBUG"):
            del os.environ[name]
    assert of() == {}
