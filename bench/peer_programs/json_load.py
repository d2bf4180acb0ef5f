"""What a script in plain Python pays before it can ask anything: json.load of a trace."""
import gzip
import json
import sys

opener = gzip.open if sys.argv[1].endswith(".gz") else open
with opener(sys.argv[1], "rb") as f:
    trace = json.load(f)
print(len(trace["traceEvents"]), "events")
