"""Do two run files hold the same spans, launches and rank?   same_spans.py A.gait B.gait NAME

Work that was counted from an operator's inputs is not compared: a run does not keep the inputs.
"""
import sqlite3
import sys

SPANS = """select lanes.kind, lanes.device, lanes.pid, lanes.tid, lane_name.text, spans.kind, name.text,
    spans.begin_ns, spans.dur_ns, spans.correlation, spans.seq, shapes.text, steps.number,
    case when kinds.kind in ('copy', 'set') then spans.bytes end
  from raw_spans spans join raw_lanes lanes on lanes.id = spans.lane
  join raw_names lane_name on lane_name.id = lanes.name join raw_names name on name.id = spans.name
  join raw_names shapes on shapes.id = spans.shapes left join raw_steps steps on steps.id = spans.step
  join spans kinds on kinds.id = spans.id"""
LAUNCHES = """select a.begin_ns, a.correlation, b.begin_ns, b.dur_ns from raw_edges
  join raw_spans a on a.id = src join raw_spans b on b.id = dst"""
RANK = """select rank, world, base_ns, devices, text from raw_ranks join raw_names on raw_names.id = device"""


def read(path):
    db = sqlite3.connect(path)
    db.text_factory = bytes
    return [sorted(db.execute(query).fetchall(), key=repr) for query in (SPANS, LAUNCHES, RANK)]


before, after = read(sys.argv[1]), read(sys.argv[2])
for what, a, b in zip(("spans", "launches", "rank"), before, after):
    if a != b:
        lost, new = set(a) - set(b), set(b) - set(a)
        sys.exit(f"{sys.argv[3]}: {what} differ: {len(a)} and {len(b)}; "
                 f"lost {list(lost)[:1]}, new {list(new)[:1]}")
print(f"{sys.argv[3]}: {len(before[0])} spans and {len(before[1])} launches are the same")
