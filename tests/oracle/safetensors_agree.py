"""The safetensors library as the outside oracle: Gait's reader takes and refuses the same files as the library, finds
the same tensors in those it takes, and Gait's writer gives the library's bytes.

    safetensors_agree.py SAFETENSORS_CHECK [--keep FOLDER]

SAFETENSORS_CHECK is build/tests/safetensors_check. The last line is one JSON object with the counts.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import safetensors
import torch
from safetensors.torch import save as save_torch

LIMIT = 100_000_000  # bytes of a header
DTYPE_BITS = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64}
TORCH_DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e8m0fnu,
    torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.int16, torch.uint16, torch.float16, torch.bfloat16, torch.int32,
    torch.uint32, torch.float32, torch.complex64, torch.float64, torch.int64, torch.uint64]


def file_of(header, data=b""):
    header = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(header)) + header + data


def entry(dtype="F32", shape="[1]", offsets="[0,4]", more=""):
    return f'{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}{more}}}'


def one(data=b"\0" * 4, **fields):
    """A file with one tensor, whose fields are text."""
    return file_of(f'{{"a":{entry(**fields)}}}', data)


def lengths():
    yield from [b"", b"\0", b"\0" * 7, b"\0" * 8, b"\2\0\0\0\0\0\0\0{}", b"\1\0\0\0\0\0\0\0{}", b"\3\0\0\0\0\0\0\0{}"]
    for n in (LIMIT - 1, LIMIT, LIMIT + 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1):
        yield struct.pack("<Q", n) + b"{}"
    for n in (LIMIT - 1, LIMIT, LIMIT + 1):  # the whole header is there
        yield file_of(b"{}" + b" " * (n - 2))


def whitespace():
    body = '{"a":' + entry() + "}"
    for before in ("", " ", "\t", "\n", "\r", " \n\t\r ", "\v", "\f", "\0", "\u00a0", "\u2003", "\ufeff", "x", "//c\n"):
        yield file_of(before + body, b"\0" * 4)
        yield file_of(body + before, b"\0" * 4)
    yield file_of('{ "a" : { "dtype" : "F32" , "shape" : [ 1 ] , "data_offsets" : [ 0 , 4 ] } }', b"\0" * 4)
    yield file_of('{\n\t"a"\r:\n{"dtype":\t"F32","shape":[\n1\n],"data_offsets":[0\n,4]}\n}\n', b"\0" * 4)
    yield file_of(body + " " * 7, b"\0" * 4)  # the data begins at an odd place
    yield file_of(body + "{}", b"\0" * 4)
    yield file_of(body + ",", b"\0" * 4)


def top_level():
    for text in ("", " ", "{", "}", "{}", "[]", "null", "true", "1", '"a"', "[null,{}]", "[{}]", "{,}", '{"a"}', '{"a":}',
                 '{"a":null}', '{"a":1}', '{"a":"b"}', '{"a":[]}', '{"a":{}}', "{a:1}", "{'a':1}", '{"a":true}', "{}{}"):
        yield file_of(text)
    yield file_of('{"a":' + entry() + ",}", b"\0" * 4)
    yield file_of('{,"a":' + entry() + "}", b"\0" * 4)
    yield file_of('{"a":' + entry() + ' "b":' + entry(offsets="[4,8]") + "}", b"\0" * 8)
    yield file_of("{}", b"x")


def numbers():
    for n in ("1", "0", "01", "00", "1.0", "1.", ".5", "1e0", "1E0", "10e-1", "-0", "-1", "+1", "0x1", "1_0", "0b1", "١", "NaN",
              "Infinity", "null", "true", '"1"', "[1]", "{}", "1 2", "", "4294967296", "9223372036854775807",
              "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" + "0" * 40, "1e400", "-1e400"):
        yield one(shape=f"[{n}]")
        yield one(shape=f"[{n},0]", offsets="[0,0]", data=b"")
        yield one(offsets=f"[0,{n}]")
        yield one(offsets=f"[{n},4]")
        yield one(more=f',"x":{n}')
    for n in ("1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1.8e308", "1e308", "1e309",
              "0.1e309", "0.01e310", "17976931348623157" + "0" * 292, "17976931348623159" + "0" * 292, "1e-400", "0e400",
              "0e99999999999", "1e-99999999999", "1e2147483647", "1e2147483648", "0." + "0" * 400 + "1e400",
              "9" * 400 + "e-400", "123456789012345678901234567890e290", "-0.0", "1e+5", "1e+", "1e-", "1.e1", "1.5.5", "--1",
              "0e0", "0.0e-0", "5e-324", "2.2250738585072011e-308", "184467440737095516160e289", "-1.8e308"):
        yield one(more=f',"x":{n}')


def shapes():
    for shape, dtype, n in (("[]", "F32", 4), ("[]", "F32", 0), ("[0]", "F32", 0), ("[0]", "F32", 4), ("[3,0,5]", "I64", 0),
                            ("[2,3]", "F32", 24), ("[2,3]", "F32", 20), ("[2,3]", "F32", 28), ("[1,1,1,1,1,1,1,1,1]", "U8", 1),
                            ("[4294967296,4294967296]", "F32", 0), ("[4294967296,4294967296,0]", "F32", 0),
                            ("[0,4294967296,4294967296]", "F32", 0), ("[4611686018427387904]", "F32", 0),
                            ("[2305843009213693952]", "U8", 0), ("[1152921504606846976]", "F32", 4),
                            ("[2305843009213693952]", "F64", 0), ("[18446744073709551615,0]", "U64", 0),
                            ("[18446744073709551615,2,0]", "U8", 0), ("{}", "F32", 4), ('{"0":1}', "F32", 4), ("1", "F32", 4)):
        yield one(dtype=dtype, shape=shape, offsets=f"[0,{n}]", data=b"\0" * n)
    yield one(shape="[" + ",".join("1" * 5000) + "]")
    yield one(offsets="[0,4,4]")
    yield one(offsets="[4]")
    yield one(offsets="[]")
    yield one(offsets='{"0":0,"1":4}')
    yield one(offsets="[[0],[4]]")


def dtypes():
    names = list(DTYPE_BITS) + ["F8", "I4", "U4", "F128", "C128", "C32", "f32", "F32 ", " F32", "", "F8_E4M3FN", "TF32", "E8M0",
                                "I128", "bool", "Bool", "F4_E2M1", "F33", "F3", "F32\\u0000", "BF_16", "F6", "U1"]
    for name in names:
        bits = DTYPE_BITS.get(name, 32)
        for count in (1, 2, 4, 8):
            n = count * bits // 8
            yield one(dtype=name, shape=f"[{count}]", offsets=f"[0,{n}]", data=b"\1" * n)
    for value in ("null", "1", "[]", '["F32"]', "{}", '{"F32":null}', '{"F32":{}}', '{"F32":[]}', '{"F32":0}', '{"F32":"F32"}',
                  '{"F32":null,"F32":null}', '{"F32":null,"x":null}', '{"X":null}', "F32", "true"):
        yield file_of('{"a":{"dtype":' + value + ',"shape":[1],"data_offsets":[0,4]}}', b"\0" * 4)
        yield file_of('{"a":[' + value + ",[1],[0,4]]}", b"\0" * 4)


def fields():
    for text in ('"shape":[1],"data_offsets":[0,4]', '"dtype":"F32","data_offsets":[0,4]', '"dtype":"F32","shape":[1]',
                 '"dtype":"F32","shape":[1],"data_offsets":null', '"data_offsets":[0,4],"shape":[1],"dtype":"F32"',
                 '"dtype":"F32","shape":[1],"offsets":[0,4]', '"DTYPE":"F32","shape":[1],"data_offsets":[0,4]'):
        yield file_of('{"a":{' + text + "}}", b"\0" * 4)
    for more in (',"dtype":"F32"', ',"shape":[1]', ',"data_offsets":[0,4]', ',"x":1', ',"x":1,"x":2', ',"":0',
                 ',"x":{"dtype":"F32","dtype":"F32"}', ',"strides":[1]', ',"x":"\\ud800"', ',"x":"\\q"', ',"x":"\\u00"', ',"x":tru',
                 ',"x":TRUE', ',"x":nulll', ',"x":[1,2', ',"x":[1,]', ',"x":[,1]', ',"x":{"y":}', ',"x":{1:2}', ",", ",,",
                 ',"x"', ',"dt\\u0079pe":"F32"', ',"x":[[],{},"",null,true,false,-1,2.5]', ',"x":"\\/\\b\\f\\n\\r\\t\\"\\\\"'):
        yield one(more=more)
    for text in ('["F32",[1],[0,4]]', '["F32",[1],[0,4],0]', '["F32",[1]]', '["F32"]', "[]", '[[1],"F32",[0,4]]', '["F32",[1],[0,4],]',
                 '["F32",[1],[0,4],{}]', '[{"F32":null},[1],[0,4]]'):
        yield file_of('{"a":' + text + "}", b"\0" * 4)
    for depth in (1, 10, 63, 64, 65, 100, 123, 124, 125, 126, 127, 128, 129, 200, 100000):
        yield one(more=',"x":' + "[" * depth + "]" * depth)
        yield one(more=',"x":' + '{"y":' * depth + "0" + "}" * depth)


def metadata():
    for value in ("{}", "null", "[]", '""', "1", "true", '{"k":"v"}', '{"k":null}', '{"k":1}', '{"k":1.5}', '{"k":true}', '{"k":[]}',
                  '{"k":{}}', '{"k":"v","k":"w"}', '{"k":"v","\\u006b":"w"}', '{"":""}', '{"k":"v",}', '{"k"}', '{"k":"v"', '{1:"v"}',
                  '{"a":"b","c":"d","e":"f"}', '{"k":"\\ud83d\\ude00"}', '{"k":"\\ud83d"}', '{"k":"\\u0000"}', '{"k":"a\tb"}',
                  '{"dtype":"F32","shape":"[1]","data_offsets":"[0,4]"}', entry()):
        yield file_of('{"__metadata__":' + value + "}")
        yield file_of('{"__metadata__":' + value + ',"a":' + entry() + "}", b"\0" * 4)
        yield file_of('{"a":' + entry() + ',"__metadata__":' + value + "}", b"\0" * 4)
    for first in ("{}", "null", '{"k":"v"}'):
        for second in ("{}", "null", '{"k":"w"}'):
            yield file_of(f'{{"__metadata__":{first},"__metadata__":{second}}}')
    yield file_of('{"__met\\u0061data__":{"k":"v"}}')
    yield file_of('{"__METADATA__":{"k":"v"}}')
    yield file_of('{"__metadata__ ":' + entry() + "}", b"\0" * 4)
    yield file_of('{"__metadata":' + entry() + "}", b"\0" * 4)


def names():
    for name in ("", " ", "a.b", "a/b", "é", "😀", "a\x7fb", "\\u0000", "\\u00e9", "\\uD83D\\uDE00", "\\ud83d", "\\ude00", "\\ud83d\\u0041",
                 "\\ud83dx", "\\ud83d\\", "\\u12", "\\u12g4", "\\U0041", "\\x41", "\\'", "\\/", "\\b\\f\\n\\r\\t", "a\tb", "a\nb", "a\0b", "\x1f",
                 "dtype", "shape", "'", "\\\"", "\u2028", "\ufeff", "\uffff", "\ue000", "a" * 70000):
        yield file_of('{"' + name + '":' + entry() + "}", b"\0" * 4)
    for raw in (b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xe0\x80\x80", b"\x80",
                b"\xf0\x9f\x98", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf", b"\xc2\x80", b"\xdf\xbf"):
        yield file_of(b'{"' + raw + b'":' + entry().encode() + b"}", b"\0" * 4)
        yield file_of(b"{" + raw + b"}")


def duplicates():
    good, other = entry(), entry(offsets="[4,8]")
    for a, b, n in ((good, good, 4), (good, other, 8), (other, good, 4), (other, good, 8), (good, other, 4), ("7", good, 4),
                    (good, "7", 4), (entry(dtype="X"), good, 4), (entry(shape="[9]"), good, 4), ("null", good, 4)):
        yield file_of(f'{{"a":{a},"a":{b}}}', b"\0" * n)
        yield file_of(f'{{"a":{a},"\\u0061":{b}}}', b"\0" * n)
    yield file_of(f'{{"a":{good},"b":{other},"a":{good}}}', b"\0" * 8)
    yield file_of(f'{{"a":{good},"b":{other},"b":{good},"a":{other}}}', b"\0" * 8)


def places():
    def many(*parts, bytes_):
        text = ",".join(f'"{name}":' + entry(dtype=d, shape=s, offsets=o) for name, d, s, o in parts)
        return file_of("{" + text + "}", bytes(bytes_))
    f, z = ("F32", "[1]"), ("F32", "[0]")
    yield many(("a", *f, "[0,4]"), ("b", *f, "[4,8]"), bytes_=8)
    yield many(("a", *f, "[4,8]"), ("b", *f, "[0,4]"), bytes_=8)
    yield many(("a", *f, "[0,4]"), ("b", *f, "[0,4]"), bytes_=4)
    yield many(("a", *f, "[0,4]"), ("b", *f, "[0,4]"), bytes_=8)
    yield many(("a", *f, "[0,4]"), ("b", *f, "[8,12]"), bytes_=12)
    yield many(("a", *f, "[4,8]"), bytes_=8)
    yield many(("a", *f, "[4,0]"), bytes_=4)
    yield many(("a", *f, "[4,4]"), bytes_=4)
    yield many(("a", *z, "[4,4]"), ("b", *f, "[0,4]"), bytes_=4)
    yield many(("a", *z, "[0,0]"), ("b", *f, "[0,4]"), ("c", *z, "[0,0]"), bytes_=4)
    yield many(("a", *z, "[0,0]"), ("b", *z, "[0,0]"), bytes_=0)
    yield many(("a", *z, "[2,2]"), ("b", *f, "[0,4]"), bytes_=4)
    yield many(("a", *z, "[5,5]"), ("b", *f, "[0,4]"), bytes_=4)
    yield many(("a", "F32", "[2]", "[0,8]"), ("b", *f, "[4,8]"), bytes_=8)
    yield many(("a", "U8", "[1]", "[0,1]"), ("b", *f, "[1,5]"), bytes_=5)  # not aligned
    yield many(("a", "U8", "[3]", "[0,3]"), ("b", "F64", "[1]", "[3,11]"), bytes_=11)
    yield many(("a", "F4", "[2]", "[0,1]"), ("b", "F64", "[1]", "[1,9]"), bytes_=9)
    for n in (0, 3, 5, 8, 100):
        yield one(data=b"\0" * n)
    for bits in (b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\1\0\x80\x7f"):  # NaN and Inf
        yield one(data=bits)
    yield one(dtype="BOOL", shape="[4]", data=b"\0\1\2\xff")
    yield one(offsets="[18446744073709551612,0]")
    yield one(offsets="[0,18446744073709551615]", shape="[18446744073709551615]", dtype="U8")


def mutations(count=1500):
    random.seed(20)
    seeds = [
        file_of('{"__metadata__":{"format":"pt"},"wte":' + entry(shape="[2,3]", offsets="[0,24]") + ',"b":'
                + entry(dtype="BF16", shape="[2]", offsets="[24,28]") + "}  ", bytes(range(28))),
        save_torch({"a.weight": torch.zeros(2, 2), "é": torch.zeros(3, dtype=torch.int8), "z": torch.zeros(0, 4)}, {"k": "v"})]
    likely = b'{}[]":,\\u0123456789eE.- \0\xff\xc3tfn'
    for _ in range(count):
        b = bytearray(random.choice(seeds))
        length = struct.unpack("<Q", b[:8])[0]
        head = bytearray(b[8:8 + length])
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(head))
            kind = random.randrange(5)
            if kind == 0:
                head[at] = random.choice(likely)
            elif kind == 1:
                head[at] = random.randrange(256)
            elif kind == 2:
                del head[at:at + random.randint(1, 12)]
            elif kind == 3:
                start = random.randrange(len(head))
                head[at:at] = head[start:start + random.randint(1, 12)]
            else:
                head[at] ^= 1 << random.randrange(8)
            head = head or bytearray(b" ")
        data = bytes(b[8 + length:])
        yield file_of(bytes(head), data[:random.choice([len(data)] * 9 + [max(len(data) - 1, 0)])])


GROUPS = [lengths, whitespace, top_level, numbers, shapes, dtypes, fields, metadata, names, duplicates, places, mutations]


def library_says(content, path):
    """What the library makes of a file: None, or its tensors and metadata."""
    try:
        found = {name: (info["dtype"], list(info["shape"]), bytes(info["data"])) for name, info in safetensors.deserialize(content)}
    except safetensors.SafetensorError:
        found = None
    try:
        with safetensors.safe_open(path, framework="pt") as f:
            metadata = f.metadata() or {}
    except safetensors.SafetensorError:
        assert found is None, "the library's two readers differ"
        return None
    return None if found is None else (found, metadata)


def difference(content, theirs, ours):
    """Why the two readers differ on a file, or None."""
    if not ours["accepted"]:
        return None if theirs is None else "refused here: " + ours["why"]
    if theirs is None:
        return "taken here, refused by the library"
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    mine = {name: (dtype, shape, content[begin + b:begin + e]) for name, (dtype, shape, (b, e)) in ours["tensors"].items()}
    tensors, metadata = theirs
    if mine != tensors:
        return f"other tensors: {mine} and {tensors}"[:500]
    return None if ours["metadata"] == metadata else "other metadata"


def compare_readers(check, folder):
    names, contents = [], []
    for group in GROUPS:
        for i, content in enumerate(group()):
            names.append(f"{folder}/{group.__name__}-{i:04}.safetensors")
            contents.append(content)
            with open(names[-1], "wb") as f:
                f.write(content)
    with open(f"{folder}/list", "w") as f:
        f.write("\n".join(names) + "\n")
    out = subprocess.run([check, f"{folder}/list"], check=True, capture_output=True).stdout.decode()
    answers = [json.loads(line) for line in out.split("\n")[:-1]]
    assert len(answers) == len(names), f"{len(answers)} answers for {len(names)} files"
    accepted, mismatches = 0, []
    for name, content, ours in zip(names, contents, answers):
        theirs = library_says(content, name)
        accepted += theirs is not None
        why = difference(content, theirs, ours)
        if why:
            mismatches.append(name)
            print(f"{os.path.basename(name)}: {why}\n    {content[8:200]!r}")
    return len(names), accepted, len(mismatches)


def tensor_sets():
    """Tensors and at most one metadata pair: the library writes several pairs in no fixed order."""
    torch.manual_seed(1)
    yield {}, None
    yield {}, {"framework": "pt"}
    yield {"attn.0": torch.arange(6, dtype=torch.float32).view(1, 2, 3)}, None
    every = {}
    for i, dtype in enumerate(TORCH_DTYPES):
        size = torch.empty(0, dtype=dtype).element_size()
        raw = torch.randint(0, 2 if dtype is torch.bool else 256, (6 * size,), dtype=torch.uint8)
        every[f"t{i}"] = raw.view(dtype).view(2, 3)
        every[f"a.{i}.weight"] = every[f"t{i}"].clone()
    yield every, {"format": "pt"}
    yield {"scalar": torch.tensor(3.5), "empty": torch.zeros(0, 5), "z": torch.zeros(2, dtype=torch.int8)}, None
    yield {n: torch.zeros(1) for n in ("é", "😀", 'q"\\', "\b\f\n\r\t", "\x01\x1f", "\x7f", "a/b", " ", "B", "a", "_")}, {"k\n\"": "\x7f\t"}
    yield {f"h.{i}.w": torch.randn(3) for i in range(120)}, {"format": "pt"}
    for n in range(1, 9):  # every length of padding
        yield {"x" * n: torch.zeros(1, dtype=torch.uint8)}, None


def compare_writers(check, folder):
    written, mismatches = 0, 0
    for i, (tensors, metadata) in enumerate(tensor_sets()):
        theirs, ours = f"{folder}/theirs-{i}.safetensors", f"{folder}/ours-{i}.safetensors"
        content = save_torch(tensors, metadata)
        with open(theirs, "wb") as f:
            f.write(content)
        subprocess.run([check, "--rewrite", theirs, ours], check=True)
        written += 1
        with open(ours, "rb") as f:
            if f.read() != content:
                mismatches += 1
                print(f"tensor set {i}: Gait wrote other bytes")
        with safetensors.safe_open(ours, framework="pt") as f:
            for name, tensor in tensors.items():
                back = f.get_tensor(name)
                assert (back.dtype, back.shape) == (tensor.dtype, tensor.shape), name
                assert torch.equal(back.reshape(-1).view(torch.uint8), tensor.reshape(-1).view(torch.uint8)), name
    return written, mismatches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check")
    parser.add_argument("--keep", help="leave the files in this folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        files, accepted, reader_mismatches = compare_readers(args.check, folder)
        written, writer_mismatches = compare_writers(args.check, folder)
    print(json.dumps({"oracle": "safetensors " + safetensors.__version__, "files": files, "accepted": accepted,
                      "refused": files - accepted, "mismatches": reader_mismatches, "written": written,
                      "written_otherwise": writer_mismatches}))
    sys.exit(1 if reader_mismatches or writer_mismatches else 0)


main()
