"""One analysis as JSON: has every promised key, and its times add up."""
import json
import sys

path, trace, damaged = sys.argv[1:4]
a = json.load(open(path, encoding="utf-8"))
assert a["format"] == "gait-analysis" and a["source"] == "kineto", trace
assert len(a["ranks"]) == 1, trace
for rank in a["ranks"]:
    assert {"rank", "steps", "time_us", "ops"} <= set(rank), trace
    assert {"ms", "clock", "count"} <= set(rank["step"]), trace
    t = rank["time_us"]
    parts = [t[k] for k in ("compute", "communication", "copies", "idle")]
    if t["compute"] is not None:
        assert all(p >= 0 for p in parts) and abs(sum(parts) - t["span"]) < 1e-3, (trace, t)
        assert t["communication_total"] >= t["communication"] - 1e-3, (trace, t)
    assert rank["ops"], f"{trace}: no operators"
    for op in rank["ops"]:
        assert op["count"] > 0 and -1e-9 <= op["self_us"] <= op["total_us"] + 1e-3, (trace, op)
    if damaged == "yes" or not rank["complete"]:
        where = [n for n in rank["notes"] if n["offset"] >= 0]
        assert where, f"{trace}: damaged, and no warning says where"
        print(f"{trace}: {where[0]['text']} (byte {where[0]['offset']})")
