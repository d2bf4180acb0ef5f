"""Run files (*.gait): crafted schemas, values that are allowed and extreme, pages that lie, logs planted beside.

A run whose values were changed is sealed again: whoever makes a hostile file can make its checksums too. They are computed
here by docs/run-format.md, so the document is checked by a second program.
"""
import ctypes
import ctypes.util
import random as random_module
import shutil
import sqlite3
import struct

from . import Hostile, mutated
from .payloads import PAYLOADS

TIME_MAX = 4 * 10 ** 18
INT_MAX = 2 ** 63 - 1


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(data):
    library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
    library.XXH3_128bits.restype = _Hash
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    h = library.XXH3_128bits(data, len(data))
    return f"{h.high:016x}{h.low:016x}"


def _integer(v):
    """A value of another type has no place in the sum: the program refuses it before it compares."""
    return struct.pack("<Q", (v if isinstance(v, int) else 0) & 0xFFFFFFFFFFFFFFFF)


def _real(v):
    return struct.pack("<Q", 0x7FF8000000000000) if v is None else struct.pack("<d", v if isinstance(v, (int, float)) and v else 0.0)


def checksum(db, table):
    if table == "names":
        rows = [r[0] for r in db.execute("SELECT CAST(text AS BLOB) FROM raw_names ORDER BY id")]
        return xxh3(_integer(len(rows)) + b"".join(_integer(len(r)) + r for r in rows))
    columns = [(r[1], r[2]) for r in db.execute(f"PRAGMA table_info(raw_{table})")][1:]
    names = ", ".join(f'"{c}"' for c, _ in columns)
    rows = db.execute(f"SELECT {names} FROM raw_{table} ORDER BY id").fetchall()
    data = [_integer(len(rows))]
    for i, (_, kind) in enumerate(columns):
        pack = _real if kind == "REAL" else _integer
        data += [pack(r[i]) for r in rows]
    return xxh3(b"".join(data))


def checksums(db):
    return {t: checksum(db, t) for (t,) in db.execute("SELECT name FROM raw_checksums ORDER BY id").fetchall()}


def seal(db):
    for table, value in checksums(db).items():
        db.execute("UPDATE raw_checksums SET xxh3 = ? WHERE name = ?", (value, table))


def _changed(seeds, folder, change, sealed=True):
    path = folder / "x.gait"
    shutil.copy(seeds.run, path)
    db = sqlite3.connect(path)
    db.text_factory = bytes
    change(db)
    db.commit()
    if sealed:
        db.text_factory = str
        seal(db)
        db.commit()
    db.close()
    return str(path)


def _sql(seeds, name, sql, sealed=True):
    return Hostile(name, lambda folder: _changed(seeds, folder, lambda db: db.executescript(sql), sealed))


def _python(seeds, name, change, sealed=True):
    return Hostile(name, lambda folder: _changed(seeds, folder, change, sealed))


def _tables(seeds):
    db = sqlite3.connect(seeds.run)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' AND name GLOB 'raw_*'")]
    result = {t: [(r[1], r[2]) for r in db.execute(f"PRAGMA table_info({t})")] for t in tables}
    db.close()
    return result


# --- schemas

EXPENSIVE = ["length(hex(zeroblob(200000000)))*0", "(id * 0)", "abs(random())", "length(printf('%.*c', 500000000, 'x'))*0"]


def _schemas(seeds):
    for table, columns in _tables(seeds).items():
        plain = ", ".join(f'"{c}" {k}' for c, k in columns[1:-1])
        last, kind = columns[-1]
        for i, expression in enumerate(EXPENSIVE):
            if "random" in expression:
                continue
            yield _sql(seeds, f"schema/{table}-computed-{i}",
                       f"DROP TABLE {table}; CREATE TABLE {table}(id INTEGER PRIMARY KEY,{plain}{',' if plain else ''}"
                       f'"{last}" {kind} AS({expression}));'
                       f"INSERT INTO {table}(id) VALUES (0),(1),(2)", sealed=False)
        yield _sql(seeds, f"schema/{table}-endless-view",
                   f"DROP TABLE {table}; CREATE VIEW {table} AS WITH RECURSIVE c(id) AS (SELECT 0 UNION ALL SELECT id + 1 "
                   f"FROM c) SELECT id, {', '.join(f'id AS {chr(34)}{c}{chr(34)}' for c, _ in columns[1:])} FROM c",
                   sealed=False)
        yield _sql(seeds, f"schema/{table}-without-rowid",
                   f'CREATE TABLE y AS SELECT * FROM {table}; DROP TABLE {table}; CREATE TABLE {table}(id INTEGER PRIMARY KEY'
                   f'{"".join(f", {chr(34)}{c}{chr(34)} {k}" for c, k in columns[1:])}) WITHOUT ROWID;'
                   f"INSERT INTO {table} SELECT * FROM y", sealed=False)
    yield _sql(seeds, "schema/trigger", "CREATE TRIGGER t AFTER INSERT ON raw_ops BEGIN SELECT load_extension('x'); END")
    yield _sql(seeds, "schema/fts", "DROP TABLE raw_notes; CREATE VIRTUAL TABLE raw_notes USING fts5(rank, offset, count, text)",
               sealed=False)
    yield _sql(seeds, "schema/10000-tables", "".join(f"CREATE TABLE t{i}(a,b,c);" for i in range(10000)))
    yield _sql(seeds, "schema/10000-views", "".join(f"CREATE VIEW v{i} AS SELECT * FROM v{i + 1}, v{i + 1};"
                                                    for i in range(10000)))
    yield _sql(seeds, "schema/1900-columns", f"CREATE TABLE wide({','.join(f'c{i}' for i in range(1900))})")
    yield _sql(seeds, "schema/long-view", "CREATE VIEW w AS SELECT " + "+".join(["1"] * 900) + "; CREATE VIEW w2 AS SELECT '"
               + "x" * 900000 + "'")
    yield _sql(seeds, "schema/default", "ALTER TABLE raw_notes ADD COLUMN more TEXT DEFAULT 'x'", sealed=False)
    yield _python(seeds, "schema/writable", lambda db: (
        db.execute("PRAGMA writable_schema=ON"),
        db.execute("UPDATE sqlite_master SET sql = replace(sql, '\"text\" INTEGER)', '\"text\" INTEGER AS(1))') "
                   "WHERE name = 'raw_notes'")), sealed=False)
    yield _python(seeds, "schema/shared-root", lambda db: (
        db.execute("PRAGMA writable_schema=ON"),
        db.execute("UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'raw_spans') "
                   "WHERE type = 'table'")), sealed=False)
    yield _python(seeds, "schema/no-root", lambda db: (
        db.execute("PRAGMA writable_schema=ON"),
        db.execute("UPDATE sqlite_master SET rootpage = 999999999 WHERE name = 'raw_ops'")), sealed=False)
    yield _python(seeds, "schema/renamed", lambda db: (
        db.execute("PRAGMA writable_schema=ON"),
        db.execute("UPDATE sqlite_master SET name = 'x' || name WHERE type = 'table'")), sealed=False)


# --- values, sealed

def _values(seeds):
    extremes = {"REAL": ["NULL", "9e999", "-9e999", "1e308", "5e-324", "-1.0"],
                "INTEGER": [str(INT_MAX), str(-INT_MAX - 1), str(TIME_MAX), str(-TIME_MAX), "2147483647", "-2147483648", "-1",
                            "0", "1"]}
    for table, columns in _tables(seeds).items():
        if table in ("raw_names", "raw_checksums"):
            continue
        for column, kind in columns[1:]:
            for value in extremes[kind]:
                yield _sql(seeds, f"value/{table}.{column}={value}", f'UPDATE {table} SET "{column}" = {value}')
        for value in ("'text'", "NULL", "zeroblob(100000)", "x''", "1.5"):
            yield _sql(seeds, f"value/{table}={value}", f'UPDATE {table} SET "{columns[-1][0]}" = {value}', sealed=False)


def _grow(db, table, times):
    """Repeat the rows of a table, with new ids."""
    columns = [r[1].decode() if isinstance(r[1], bytes) else r[1] for r in db.execute(f"PRAGMA table_info({table})")][1:]
    names = ", ".join(f'"{c}"' for c in columns)
    for _ in range(times):
        db.execute(f"INSERT INTO {table} SELECT id + (SELECT count(*) FROM {table}), {names} FROM {table}")


def _graphs(seeds):
    """References and times that make work: circles, everything at once, everything in one place."""
    yield _sql(seeds, "graph/circle", "DELETE FROM raw_edges; INSERT INTO raw_edges SELECT id, id % 4, id, (id + 1) % "
               "(SELECT count(*) FROM raw_spans) FROM raw_spans")
    yield _sql(seeds, "graph/to-itself", "UPDATE raw_edges SET dst = src")
    yield _sql(seeds, "graph/backwards", "UPDATE raw_edges SET src = dst, dst = src")
    yield _sql(seeds, "graph/no-ends", "UPDATE raw_edges SET src = -1, dst = -1")
    yield _sql(seeds, "graph/beyond", "UPDATE raw_edges SET dst = 1000000000")
    yield _sql(seeds, "graph/all-to-one", "UPDATE raw_edges SET dst = 0")
    yield _sql(seeds, "graph/one-lane", "UPDATE raw_spans SET lane = 0")
    yield _sql(seeds, "graph/one-time", "UPDATE raw_spans SET begin_ns = 0, dur_ns = 0")
    yield _sql(seeds, "graph/nested", "UPDATE raw_spans SET begin_ns = id, dur_ns = 1000000 - 2 * id, lane = 0")
    yield _sql(seeds, "graph/crossing", "UPDATE raw_spans SET begin_ns = id * 10, dur_ns = 1000, lane = 0")
    yield _sql(seeds, "graph/whole-time", f"UPDATE raw_spans SET begin_ns = -{TIME_MAX}, dur_ns = {TIME_MAX}")
    yield _sql(seeds, "graph/steps-over-each-other", f"UPDATE raw_steps SET begin_ns = 0, end_ns = {TIME_MAX}, number = 7")
    yield _sql(seeds, "graph/one-correlation", "UPDATE raw_spans SET correlation = 1")
    yield _sql(seeds, "graph/no-steps", "UPDATE raw_spans SET step = -1; DELETE FROM raw_times; DELETE FROM raw_launches;"
               "DELETE FROM raw_phases; DELETE FROM raw_collectives; DELETE FROM raw_steps")
    yield _sql(seeds, "graph/nothing", "".join(f"DELETE FROM {t};" for t in _tables(seeds)
                                               if t not in ("raw_names", "raw_checksums")))
    yield _sql(seeds, "graph/no-names", "DELETE FROM raw_names", sealed=False)
    for table, times in (("raw_spans", 12), ("raw_ops", 11), ("raw_steps", 13), ("raw_lanes", 12), ("raw_ranks", 11),
                         ("raw_times", 11), ("raw_facts", 12), ("raw_launches", 12), ("raw_edges", 12)):
        yield _python(seeds, f"graph/many-{table}", lambda db, t=table, n=times: _grow(db, t, n))
    yield _python(seeds, "graph/many-collectives", lambda db: (
        db.execute("INSERT OR REPLACE INTO raw_collectives SELECT 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 1, 4, 0, 9, 9"), _grow(
            db, "raw_collectives", 15)))
    yield _python(seeds, "graph/deep-spans", lambda db: (_grow(db, "raw_spans", 10), db.execute(
        "UPDATE raw_spans SET lane = 0, kind = 1, begin_ns = id, dur_ns = 200000 - 2 * id")))


def _set_names(db, text):
    db.execute("DELETE FROM raw_names WHERE id > 100000")
    rows = db.execute("SELECT id FROM raw_names").fetchall()
    for (i,) in rows:
        if i:
            value = text(i)
            db.execute("UPDATE raw_names SET text = CAST(? AS TEXT) WHERE id = ?", (value, i))


def _names(seeds):
    for n, payload in enumerate(PAYLOADS):
        raw = payload.encode("utf-8", "surrogatepass")
        yield _python(seeds, f"name/payload-{n}", lambda db, p=raw: _set_names(db, lambda i: p + b" %d" % i))
    yield _python(seeds, "name/not-utf8", lambda db: _set_names(db, lambda i: b"\xff\xfe\xc0\x80%d" % i))
    yield _python(seeds, "name/long", lambda db: _set_names(db, lambda i: b"x" * 100000 + b"%d" % i))
    yield _python(seeds, "name/too-long", lambda db: _set_names(db, lambda i: b"x" * 1100000 + b"%d" % i if i == 3 else b"%d" % i))
    yield _python(seeds, "name/newlines", lambda db: _set_names(db, lambda i: b"\n" * 1000 + b"%d" % i))
    yield _python(seeds, "name/controls", lambda db: _set_names(db, lambda i: bytes(range(32)) + b"\x7f%d" % i))
    yield _sql(seeds, "name/200000-names", "WITH RECURSIVE c(x) AS (SELECT 1000 UNION ALL SELECT x + 1 FROM c LIMIT 200000)"
               "INSERT INTO raw_names SELECT (SELECT count(*) FROM raw_names) + x - 1000, 'n' || x FROM c")


# --- bytes

def _page(data, number):
    return bytes(data[(number - 1) * 4096:number * 4096])


def _bytes(seeds):
    good = seeds.run.read_bytes()

    def raw(name, change):
        def write(folder):
            data = bytearray(good)
            change(data)
            (folder / "x.gait").write_bytes(data)
            return str(folder / "x.gait")
        return Hostile(f"bytes/{name}", write)

    def put(at, value):
        return lambda data: data.__setitem__(slice(at, at + len(value)), value)

    for n in (0, 1, 15, 16, 99, 100, 511, 4095, 4096, 5000, len(good) // 2, len(good) - 1):
        yield raw(f"first-{n}", lambda data, n=n: data.__delitem__(slice(n, None)))
    for size in (0, 1, 2, 3, 512, 1024, 65535):
        yield raw(f"page-size-{size}", put(16, struct.pack(">H", size)))
    for reserved in (1, 32, 255):
        yield raw(f"reserved-{reserved}", put(20, bytes([reserved])))
    yield raw("written-by-wal", put(18, b"\2\2"))
    yield raw("unknown-version", put(18, b"\7\7"))
    yield raw("utf16", put(56, struct.pack(">I", 2)))
    yield raw("size-of-4-billion-pages", put(28, struct.pack(">I", 0xFFFFFFFF)))
    yield raw("freelist-in-circle", lambda data: data.__setitem__(slice(32, 40), struct.pack(">II", 2, 0xFFFFFFF)))
    yield raw("all-children-are-the-root", lambda data: _point_children(data, lambda child: 1))
    yield raw("all-children-are-one", lambda data: _point_children(data, lambda child: 2))
    yield raw("no-such-child", lambda data: _point_children(data, lambda child: 0x7FFFFFFF))
    for page in range(2, min(40, len(good) // 4096)):
        yield raw(f"page-{page}-is-page-1", lambda data, p=page: data.__setitem__(
            slice((p - 1) * 4096, p * 4096), _page(data, 1)))
        yield raw(f"page-{page}-is-noise", lambda data, p=page: data.__setitem__(
            slice((p - 1) * 4096, p * 4096), random_module.Random(p).randbytes(4096)))


def _point_children(data, to):
    """Let the pointers of all interior pages of tables (type 5) lead elsewhere."""
    for number in range(1, len(data) // 4096 + 1):
        at = (number - 1) * 4096
        head = at + (100 if number == 1 else 0)
        if data[head] != 5:
            continue
        cells = struct.unpack(">H", data[head + 3:head + 5])[0]
        for i in range(min(cells, 1000)):
            cell = at + struct.unpack(">H", data[head + 12 + 2 * i:head + 14 + 2 * i])[0]
            data[cell:cell + 4] = struct.pack(">I", to(data[cell:cell + 4]))
        data[head + 8:head + 12] = struct.pack(">I", to(data[head + 8:head + 12]))


def _varint(v, n):
    return bytes((v >> 7 * i & 0x7F) | (0x80 if i else 0) for i in reversed(range(n)))


def _circles(seeds):
    """Names that say they are a megabyte long, on pages that follow one another in a circle: 300 MB in a file of 10."""
    def write(folder):
        path = folder / "x.gait"
        shutil.copy(seeds.run, path)
        db = sqlite3.connect(path)
        first = db.execute("SELECT count(*) FROM raw_names").fetchone()[0]
        length = 32769  # a row of it has a header of 5 bytes and 489 bytes in its page, the rest is a chain
        db.executemany("INSERT INTO raw_names VALUES(?, ?)",
                       [(first + i, f"circle-{i:06}-".ljust(length, "a")) for i in range(300)])
        db.commit()
        db.close()
        data = bytearray(path.read_bytes())
        for i in range(300):
            at = data.find(f"circle-{i:06}-".encode())
            row = at - 5 - (1 if first + i < 128 else 2) - 3
            longer = length + 4092 * 240
            data[row:row + 3] = _varint(longer + 5, 3)
            data[at - 3:at] = _varint(2 * longer + 13, 3)
            page = struct.unpack(">I", data[at - 5 + 489:at - 5 + 493])[0]
            data[(page - 1) * 4096:(page - 1) * 4096 + 4] = struct.pack(">I", page)
        path.write_bytes(data)
        return str(path)
    yield Hostile("bytes/pages-in-a-circle", write)


# --- files beside

def _beside(seeds):
    def planted(suffix, content):
        def write(folder):
            path = folder / "x.gait"
            shutil.copy(seeds.run, path)
            content(path, folder / f"x.gait{suffix}")
            return str(path)
        return write

    def real_log(path, beside):
        other = path.with_name("other.gait")
        shutil.copy(path, other)
        db = sqlite3.connect(other)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("UPDATE raw_ops SET self_ns = 1")
        db.commit()
        shutil.copy(f"{other}-wal", beside)
        shutil.copy(other, path)
        db.close()

    def real_journal(path, beside):
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE raw_spans SET dur_ns = 1")
        db.execute("UPDATE raw_ops SET self_ns = 1")
        journal = path.with_name("x.gait-journal").read_bytes()
        db.execute("ROLLBACK")
        db.close()
        beside.write_bytes(journal.ljust(9000, b"\1"))

    yield Hostile("beside/log", planted("-wal", real_log))
    yield Hostile("beside/journal", planted("-journal", real_journal))
    for suffix in ("-wal", "-journal", "-shm"):
        yield Hostile(f"beside/noise{suffix}", planted(
            suffix, lambda path, beside: beside.write_bytes(random_module.Random(1).randbytes(100000))))
        yield Hostile(f"beside/link{suffix}", planted(suffix, lambda path, beside: beside.symlink_to("/etc/passwd")))
    for name in ("?mode=memory", "%2e%2e%2fx", "#y", "a&immutable=0", "file:z", "-o", "$(touch hostile)", "\x1b[31m", "'\";--"):
        def write(folder, name=name):
            shutil.copy(seeds.run, folder / f"{name}.gait")
            return str(folder / f"{name}.gait")
        yield Hostile(f"beside/named {name!r}", write)


def handmade(seeds):
    return [*_bytes(seeds), *_circles(seeds), *_beside(seeds), *_graphs(seeds), *_schemas(seeds), *_names(seeds),
            *_values(seeds)]


def random(seeds, rng, i):
    if rng.random() < 0.3:
        data = mutated(seeds.run.read_bytes(), rng)

        def write(folder):
            (folder / "x.gait").write_bytes(data)
            return str(folder / "x.gait")
        return Hostile(f"random/{i}-bytes", write)
    updates = []
    tables = {t: c for t, c in _tables(seeds).items() if t not in ("raw_names", "raw_checksums")}
    for _ in range(rng.randint(1, 5)):
        table = rng.choice(sorted(tables))
        column, _ = rng.choice(tables[table][1:])
        value = rng.choice(["0", "-1", "1", "id", f"id % {rng.randint(1, 9)}", str(TIME_MAX), str(-TIME_MAX), str(INT_MAX),
                            f'"{column}" * {rng.randint(2, 10 ** 9)}', f'-"{column}"', str(rng.getrandbits(40)), "1e300"])
        where = rng.choice(["", "", f" WHERE id % {rng.randint(2, 5)} = 0", " WHERE id = 0"])
        updates.append(f'UPDATE {table} SET "{column}" = {value}{where}')
    return _sql(seeds, f"random/{i}-values", ";".join(updates))


def commands(at, out, seeds):
    run = str(seeds.run)
    return [("analyze", ["analyze", at]), ("analyze --json", ["analyze", "--json", at]),
            ("analyze --markdown", ["analyze", "--markdown", at]),
            ("analyze --compare", ["analyze", "--compare", run, at]), ("explain", ["explain", at]),
            ("whatif", ["whatif", at, "no-wait", "no-loader", "remove op:*"]),
            ("report", ["report", at, "-o", f"{out}/r.html"]), ("verify", ["verify", at, run]),
            ("verify --json", ["verify", run, at, "--json"]), ("import", ["import", at, run, "-o", f"{out}/i.gait"]),
            ("export --chrome", ["export", at, "--chrome", "-o", f"{out}/c.json"])]
