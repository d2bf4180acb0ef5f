"""process-settings: the whole model forward and backward with anomaly detection, as the job has it, against without it. Other such
settings are not measured: without them a copy may give other numbers."""
from .model_copy import measure_copy

RULE = "process-settings"


def measure(bench, recorder):
    if recorder.timers.anomaly:
        measure_copy(bench, recorder, RULE, _ways)


def _ways(call, run):
    from torch.autograd import set_detect_anomaly

    forward_backward = run(call, call.autocast)

    def with_detection(is_on):
        def run_with():
            with set_detect_anomaly(is_on):
                forward_backward()

        return run_with

    return "no anomaly detection", with_detection(True), with_detection(False)
