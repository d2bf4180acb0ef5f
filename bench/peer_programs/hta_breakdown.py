"""HolisticTraceAnalysis on one trace: load it, and cut device time into idle, compute and the rest."""
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from hta.trace_analysis import TraceAnalysis  # noqa: E402

path = os.path.abspath(sys.argv[1])
analysis = TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path))
print(analysis.get_temporal_breakdown(visualize=False).to_string())
