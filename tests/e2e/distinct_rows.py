"""The device work of one run, as JSON and as text: every row is called otherwise than the others.

    distinct_rows.py JSON TERMINAL MARKDOWN NAME
"""
import collections
import json
import re
import sys

KINDS = r"(?:kernel|copy|set|collective|other|annotation)"
TERMINAL_ROW = re.compile(rf"  (\S.*?)  +({KINDS}) +[\d,]+ +[\d,.]+ +[\d.]+ %")
MARKDOWN_ROW = re.compile(rf"\| (.*) \| ({KINDS}) \| [\d,]+ \|")


def table_rows(text, title, row):
    """Names and kinds of the rows below the title, up to the first line that is none."""
    rows, inside = [], False
    for line in text.splitlines():
        if title in line:
            inside = True
        elif inside:
            found = row.match(line)
            if found:
                rows.append(found.groups())
            elif rows:
                break
    return rows


def twice(rows):
    return [row for row, times in collections.Counter(rows).items() if times > 1]


def main():
    *files, name = sys.argv[1:]
    texts = [open(path, encoding="utf-8").read() for path in files]
    run = json.loads(texts[0])
    doubts = []
    for rank in run["ranks"]:
        ops = [op for op in rank["ops"] if op["place"] == "device"]
        doubts += twice([(op["label"], op["kind"]) for op in ops])
    for text, row in zip(texts[1:], (TERMINAL_ROW, MARKDOWN_ROW)):
        rows = table_rows(text, "GPU operators", row)
        doubts += twice(rows)
        if ops and not rows:
            doubts.append("no table of device work was found")
    for doubt in doubts:
        print(f"{name}: {doubt}")
    sys.exit(bool(doubts))


main()
