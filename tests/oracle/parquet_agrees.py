#!/usr/bin/env python3
"""Do pyarrow, DuckDB and Polars read what our Parquet writer writes, value by value?

    parquet_agrees.py WRITE_PARQUET

WRITE_PARQUET writes tables with odd values, and the same values beside them in a form that no reader of Parquet made.
Compared are all values with all three (NULL, NaN, -0, infinities, texts that are empty, long, not ASCII, not UTF-8),
the bounds of each row group with what stands in it, and counts by a filter, for which a reader may leave out groups by
those bounds, with counts by hand. The last line is JSON.
"""
import codecs
import json
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import polars
import pyarrow.parquet

REALS, TEXTS, MUST = {"f64", "never"}, {"text", "must_text"}, {"must_i64", "must_text"}
NAMES = ["i32", "i64", "f64", "truth", "text", "must_i64", "must_text", "never"]
codecs.register_error("each byte", lambda e: ("�", e.start + 1))


def bits(v):
    """A real as it can be compared: NaN is equal to itself and -0 differs from 0."""
    return None if v is None else "nan" if math.isnan(v) else struct.pack("<d", v)


def expected(path):
    columns = {name: [] for name in NAMES}
    for line in open(path):
        for name, v in zip(NAMES, json.loads(line)):
            if v is not None and name in REALS:
                v = struct.unpack("<d", bytes.fromhex(v))[0]
            if v is not None and name in TEXTS:
                v = bytes.fromhex(v).decode("utf-8", "each byte")
            columns[name].append(v)
    return columns


def comparable(name, values):
    return [bits(v) for v in values] if name in REALS else values


def by_duckdb(path):
    table = duckdb.sql(f"select * from read_parquet('{path}')")
    return dict(zip(table.columns, map(list, zip(*table.fetchall())))) or {name: [] for name in NAMES}


READERS = {"pyarrow": lambda p: pyarrow.parquet.read_table(p).to_pydict(),
           "duckdb": by_duckdb,
           "polars": lambda p: polars.read_parquet(p).to_dict(as_series=False)}


def check_values(path, want):
    for reader, read in READERS.items():
        got = read(path)
        for name in NAMES:
            a, b = comparable(name, want[name]), comparable(name, got[name])
            if a != b:
                where = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), "length")
                raise SystemExit(f"{path.name}: {reader} reads another {name} in row {where}")


def has_doubt(values):
    return any(isinstance(v, float) and math.isnan(v) or isinstance(v, str) and len(v.encode()) > 128 for v in values)


def check_bounds(path, want):
    """Returns how many bounds there are."""
    meta, row, n = pyarrow.parquet.read_metadata(path), 0, 0
    for g in range(meta.num_row_groups):
        group = meta.row_group(g)
        for c, name in enumerate(NAMES):
            values, stats = want[name][row:row + group.num_rows], group.column(c).statistics
            there = [v for v in values if v is not None]
            if stats.null_count != len(values) - len(there):
                raise SystemExit(f"{path.name}: group {g} has another count of NULL in {name}")
            if stats.has_min_max != bool(there and not has_doubt(there)):
                raise SystemExit(f"{path.name}: group {g} should {'not ' * stats.has_min_max}have bounds of {name}")
            if stats.has_min_max:
                n += 1
                key = (lambda t: t.encode()) if name in TEXTS else None  # noqa: E731
                if (stats.min, stats.max) != (min(there, key=key), max(there, key=key)):
                    raise SystemExit(f"{path.name}: group {g} has wrong bounds of {name}: {stats.min}, {stats.max}")
                if name in REALS and (bits(stats.min) == bits(0.0) or bits(stats.max) == bits(-0.0)):
                    raise SystemExit(f"{path.name}: group {g} of {name}: a bound of 0 leaves out the other zero")
        row += group.num_rows
    if row != meta.num_rows or row != len(want["i32"]):
        raise SystemExit(f"{path.name}: {row} rows in groups, {meta.num_rows} in all, {len(want['i32'])} were written")
    return n


def check_filters(path, want):
    """Counts of what is equal to a value or above it, for some values of each column."""
    n = 0
    for name in ("i32", "i64", "f64", "must_i64", "must_text"):
        there = [v for v in want[name] if v is not None and not (name in REALS and math.isnan(v))]
        nans = sum(1 for v in want[name] if name in REALS and v is not None and math.isnan(v))
        for v in sorted(set(there[:: max(1, len(there) // 5)]), key=str):
            if isinstance(v, str) and len(v) > 128:
                continue
            equal = sum(1 for x in there if x == v)
            above = sum(1 for x in there if (x.encode() > v.encode() if name in TEXTS else x > v))
            col = polars.col(name)
            got = duckdb.execute(f"select count(*) filter (where {name} = $v), count(*) from read_parquet($p) "
                                 f"where {name} >= $v", {"v": v, "p": str(path)}).fetchall()[0]
            if got != (equal, equal + above + nans):  # to DuckDB, NaN is the greatest
                raise SystemExit(f"{path.name}: duckdb counts {got} of {name} = and >= {v!r}, not {(equal, equal + above)}")
            got = polars.scan_parquet(path).filter(col == v).collect().height
            arrow = pyarrow.parquet.read_table(path, filters=[(name, "==", v)]).num_rows
            if (got, arrow) != (equal, equal):
                raise SystemExit(f"{path.name}: polars counts {got} and pyarrow {arrow} of {name} = {v!r}, not {equal}")
            n += 1
    return n


def main(write_parquet):
    figures = {"tables": 0, "rows": 0, "bounds": 0, "filters": 0}
    with tempfile.TemporaryDirectory(prefix="gait-parquet-") as folder:
        subprocess.run([write_parquet, folder], check=True)
        for path in sorted(Path(folder).glob("*.parquet")):
            want = expected(path.with_suffix(".lines"))
            check_values(path, want)
            figures["tables"] += 1
            figures["rows"] += len(want["i32"])
            figures["bounds"] += check_bounds(path, want)
            figures["filters"] += check_filters(path, want)
            print(f"{path.name}: {len(want['i32'])} rows, {path.stat().st_size} bytes", flush=True)
    print(json.dumps({**figures, "pyarrow": pyarrow.__version__, "duckdb": duckdb.__version__,
                      "polars": polars.__version__}))


main(*sys.argv[1:])
