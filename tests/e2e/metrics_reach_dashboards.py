"""What metrics_reach_dashboards.sh runs: metrics_reach_dashboards.py GAIT ROOT"""
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality
from prometheus_client.parser import text_string_to_metric_families

GAIT, ROOT = sys.argv[1], Path(sys.argv[2])
SMALL = ["--layers", "1", "--width", "32", "--heads", "2", "--warmup-steps", "10", "--eval-batches", "2", "--threads", "1",
         "--log-interval", "10"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PATIENCE_S = 60


def command(folder, steps, *options):
    return [GAIT, "train", ROOT / "examples/tiny.yaml", *SMALL, "--steps", str(steps), "--log-dir", folder / "log", *options]


class Training:
    """A training that runs; .url is where its metrics are."""

    def __init__(self, folder, steps, *options, launcher=()):
        self.lines = []
        self.process = subprocess.Popen([*launcher, *command(folder, steps, "--metrics-port", "0", *options)], env=ENVIRONMENT,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.url = None
        for line in self.process.stderr:
            self.lines.append(line)
            if line.startswith("metrics http"):
                self.url = line.split()[1]
                break
        assert self.url, "".join(self.lines)
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr))
        self.reader.start()

    def runs(self):
        return self.process.poll() is None

    def page(self):
        with urllib.request.urlopen(self.url, timeout=PATIENCE_S) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            return answer.read().decode()

    def cpu_s(self):
        """Of the thread that serves and of the one that trains, so far."""
        tasks = Path("/proc/%d/task" % self.process.pid)
        (serves,) = [t for t in tasks.iterdir() if (t / "comm").read_text() == "gait-http\n"]
        return [int((t / "schedstat").read_text().split()[0]) / 1e9 for t in (serves, tasks / str(self.process.pid))]

    def end(self, code=0):
        ended = self.process.wait()
        self.reader.join()
        assert ended == code, "".join(self.lines)


def samples(page):
    """{(name, labels without run): value}; every sample of one run, each family whole and once."""
    families = list(text_string_to_metric_families(page))
    assert len({f.name for f in families}) == len(families), "a family stands in two places"
    found = {}
    for family in families:
        assert family.documentation and family.type in ("counter", "gauge"), family
        for sample in family.samples:
            labels = dict(sample.labels)
            assert labels.pop("run") == "tiny", sample
            assert sample.name.endswith("_total") == (family.type == "counter"), sample
            key = sample.name, tuple(sorted(labels.items()))
            assert key not in found, sample
            found[key] = sample.value
    return found


def one(found, name, **labels):
    return found[name, tuple(sorted(labels.items()))]


class Receiver(http.server.BaseHTTPRequestHandler):
    """What an OTLP collector does with a message, by the types that it has for it."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == "/v1/metrics" and self.headers["Content-Type"] == "application/json"
        self.server.messages.append(json_format.Parse(body, ExportMetricsServiceRequest()))  # an unknown field is an error
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *args):
        pass


def receive(answer=b"{}"):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.messages, server.answer = [], answer
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def prometheus_name(metric):
    """By OpenTelemetry's rules for Prometheus: "compatibility/prometheus_and_openmetrics"."""
    unit = re.sub(r"\{[^}]*\}", "", metric.unit)
    words = {"": "", "s": "_seconds", "By": "_bytes", "/s": "_per_second"}[unit]
    return metric.name.replace(".", "_") + words + ("_total" if metric.HasField("sum") else "")


def points(message):
    """Of a message, as the page has them."""
    (resource,) = message.resource_metrics
    attributes = {a.key: a.value.string_value for a in resource.resource.attributes}
    assert attributes["service.name"] == "gait" and attributes["gait.run"] == "tiny", attributes
    found = {}
    for metric in resource.scope_metrics[0].metrics:
        is_sum = metric.HasField("sum")
        data = metric.sum if is_sum else metric.gauge
        if is_sum:
            assert data.is_monotonic and data.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
        for point in data.data_points:
            assert point.time_unix_nano > 1.7e18 and (not is_sum or 0 < point.start_time_unix_nano <= point.time_unix_nano)
            labels = tuple(sorted((a.key, a.value.string_value) for a in point.attributes))
            found[prometheus_name(metric), labels] = point.as_double
    return found


def counters_only_grow(pages):
    for before, after in zip(pages, pages[1:]):
        for key, value in before.items():
            assert not key[0].endswith("_total") or after[key] >= value, (key, value, after[key])


def phases_add_up(found):
    phases = sum(v for (name, _), v in found.items() if name == "gait_phase_time_seconds_total")
    assert abs(phases - one(found, "gait_step_time_seconds_total")) < 1e-6 * phases, found


def everything_says_the_same(folder):
    """Page, file, messages and metrics.jsonl."""
    server, file = receive(), folder / "gait.prom"
    training = Training(folder, 400, "--metrics-file", file, "--metrics-otlp", "http://127.0.0.1:%d" % server.server_port,
                        "--metrics-otlp-seconds", "1", "--eval-interval", "100")
    pages = []
    while training.runs():
        try:
            pages.append(samples(training.page()))
        except OSError:
            assert not training.runs() or training.process.wait(PATIENCE_S) == 0
        time.sleep(0.05)
    training.end()
    assert len(pages) > 1 and one(pages[-1], "gait_doing", doing="training") + one(pages[-1], "gait_doing", doing="validating") == 1
    assert one(pages[0], "gait_ranks") == 1, "the first page has values"
    counters_only_grow(pages)
    last = samples(file.read_text())
    counters_only_grow([pages[-1], last])
    assert one(last, "gait_doing", doing="ended") == 1 and one(last, "gait_step") == 400 == one(last, "gait_steps_total")
    assert one(last, "gait_tokens_total") == 400 * 12 * 64

    row = {}  # the last value of each
    for line in (folder / "log/metrics.jsonl").read_text().splitlines():
        row.update(json.loads(line))
    for key, name in {"loss": "gait_loss", "learning_rate": "gait_learning_rate", "gradient_norm": "gait_gradient_norm",
                      "validation_loss": "gait_validation_loss"}.items():
        assert "%.9g" % one(last, name) == "%.9g" % row[key], (name, row)
    assert "%.9g" % (1e3 * one(last, "gait_step_duration_seconds")) == "%.9g" % row["step_ms"]
    phases_add_up(last)

    messages = [points(m) for m in server.messages]
    counters_only_grow([m for m in messages])
    assert len(messages) >= 2, "at the start and at the end"
    assert one(messages[0], "gait_ranks") == 1 and one(messages[0], "gait_otlp_dropped_total") == 0, "the first message has values"
    del last["gait_run_info", next(labels for name, labels in last if name == "gait_run_info")]
    assert messages[-1] == last, {k: (messages[-1].get(k), last.get(k)) for k in messages[-1].keys() ^ last.keys()}
    server.shutdown()
    print("%d pages, %d messages, %d series: they agree" % (len(pages), len(messages), len(last)))
    return file


def an_abandoned_step_is_not_counted(folder):
    """A step of many micro-batches is left in their midst: its time is in no counter."""
    file, pages = folder / "gait.prom", []
    training = Training(folder, 10, "--batch-size", "600", "--gradient-accumulation", "600", "--metrics-file", file)
    while not pages or one(pages[-1], "gait_steps_total") < 1:
        pages.append(samples(training.page()))
        time.sleep(0.01)
    time.sleep(one(pages[-1], "gait_step_duration_seconds") / 2)
    training.process.send_signal(signal.SIGINT)
    training.end(1)
    pages.append(samples(file.read_text()))
    assert one(pages[-1], "gait_steps_total") < 10
    counters_only_grow(pages)
    phases_add_up(pages[-1])
    print("a step that is abandoned is in no counter")


def promtool_agrees(file):
    promtool = shutil.which("promtool")
    if not promtool:
        print("promtool is not here (Debian's package prometheus): its check was left out")
        return
    checked = subprocess.run([promtool, "check", "metrics"], input=file.read_text(), capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stderr, checked.stderr
    print("promtool check metrics finds nothing")


def besiege(training, stop):
    """Clients of the worst kinds, as many as come."""
    kinds = [b"", b"GET /met", b"\x00\xff" * 2000, b"GET /" + b"x" * 100000, b"POST / HTTP/1.1\r\nHost: a\r\n\r\n" + b"y" * 50000]
    held, number = [], 0
    while not stop.is_set():
        try:
            s = socket.create_connection(("127.0.0.1", training.port), timeout=0.2)
            s.settimeout(0.05)
            held.append(s)
            s.sendall(kinds[number % len(kinds)])
        except OSError:
            pass
        number += 1
        if len(held) > 60:
            held.pop(0).close()
    for s in held:
        s.close()


def logged_losses(folder):
    return [json.loads(line).get("loss") for line in (folder / "log/metrics.jsonl").read_text().splitlines()]


def hostile_clients_change_nothing(folder):
    """The losses are the same; the server takes little beside the training, which is never idle, on busy machines too; and
    afterwards a page is served."""
    quiet, loud = folder / "quiet", folder / "loud"
    Training(quiet, 1500).end()
    training, stop = Training(loud, 1500), threading.Event()
    before_s = training.cpu_s()
    crowd = [threading.Thread(target=besiege, args=(training, stop)) for _ in range(3)]
    for thread in crowd:
        thread.start()
    while len(logged_losses(loud)) < 75:
        time.sleep(0.05)
    served_s, trained_s = [after - before for after, before in zip(training.cpu_s(), before_s)]
    stop.set()
    for thread in crowd:
        thread.join()
    assert one(samples(training.page()), "gait_step") >= 750
    training.end()
    assert logged_losses(quiet) == logged_losses(loud) and len(logged_losses(loud)) >= 150
    assert served_s < trained_s / 2, (served_s, trained_s)
    print("besieged, it trains the same: the server took %.1f%% of the training's CPU time" % (100 * served_s / trained_s))


def what_cannot_be_had_is_said(folder):
    taken = socket.create_server(("127.0.0.1", 0))
    port = str(taken.getsockname()[1])

    def refused(code, text, *options):
        ended = subprocess.run(command(folder / "refused", 20, *options), capture_output=True, text=True)
        assert ended.returncode == code and text in ended.stderr and "step " not in ended.stderr, (options, ended)

    refused(4, "port %s at 127.0.0.1 is taken by another program; choose another port, or 0" % port, "--metrics-port", port)
    refused(2, "https is not available", "--metrics-otlp", "https://collector/v1/metrics")
    refused(2, "give a numeric address", "--metrics-port", "0", "--metrics-address", "localhost")
    refused(2, "does not end in .prom", "--metrics-file", folder / "gait.txt")
    refused(4, "metrics_file", "--metrics-file", folder / "not/there/gait.prom")

    taken.close()  # nobody is there: a warning, once
    ended = subprocess.run(command(folder / "alone", 300, "--metrics-otlp", "http://127.0.0.1:%s" % port,
                                   "--metrics-otlp-seconds", "1"), capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stderr.count("warning: metrics did not reach") == 1, ended
    assert re.search(r"metrics: (\d+) of \1 messages to .* did not arrive", ended.stderr), ended

    choosy = receive(b'{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"too old"}}')
    ended = subprocess.run(command(folder / "choosy", 20, "--metrics-otlp", "http://127.0.0.1:%d" % choosy.server_port),
                           capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stderr.count("2 data points were rejected") == 1, ended
    assert re.search(r"metrics: (\d+) of \1 messages to .* did not arrive whole", ended.stderr), ended
    choosy.shutdown()

    deaf = socket.create_server(("127.0.0.1", 0))  # takes connections and never answers
    begin = time.monotonic()
    ended = subprocess.run(command(folder / "deaf", 20, "--metrics-otlp", "http://127.0.0.1:%d" % deaf.getsockname()[1]),
                           capture_output=True, text=True)
    assert ended.returncode == 0 and "did not arrive" in ended.stderr, ended
    assert time.monotonic() - begin < PATIENCE_S
    print("what cannot be had is said")


def rank_0_speaks_for_all(folder):
    if not shutil.which("mpirun"):
        print("no mpirun here: ranks were left out")
        return
    training = Training(folder, 400, launcher=["mpirun", "--oversubscribe", "-n", "2"])
    found = samples(training.page())
    assert one(found, "gait_ranks") == 2
    training.end()
    assert sum(line.startswith("metrics http") for line in training.lines) == 1
    print("of two ranks one serves")


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for each in ("all", "stopped", "ranks"):
        (folder / each).mkdir()
    promtool_agrees(everything_says_the_same(folder / "all"))
    an_abandoned_step_is_not_counted(folder / "stopped")
    hostile_clients_change_nothing(folder)
    what_cannot_be_had_is_said(folder)
    rank_0_speaks_for_all(folder / "ranks")
