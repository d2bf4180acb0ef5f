"""Read the outputs of write_gates with other people's programs.

usage: gates_are_what_others_read.py WRITE_GATES. Exit code 77 where markdown-it-py is not installed.
"""
import html.parser
import random
import re
import subprocess
import sys

import junit_schema

try:
    import markdown_it
except ImportError:
    print("skipped: markdown-it-py is not installed (scripts/install-oracles)")
    sys.exit(77)

WORDS = [
    "step time", "<script>alert(1)</script>", "a | b | c", "[link](javascript:x)", "![image](https://x.y/z.png)",
    "`code` ``` fence", "**bold** __strong__ ~~gone~~ _it_", "@maintainer #12 https://x.y www.x.y a@b.c", "# heading",
    "- item", "1. item", "> quote", "&lt;b&gt; &#60;i&#62; &amp;", "\\| \\< \\` \\", "a\nb\r\n\n## c\n\n- d", "]]> --> <!-- é 日本 😀",
    "\x01\x1b[31m\x7f\x85", "\ufffe\uffff\u202e", "=", "---", "|---|---|", "<details open ontoggle=x>", "'\"`", "   ", "``", "é" * 130,
]
VERDICTS = ["PASS", "FAIL", "UNSURE", "N/A"]
GATES_MAX = 16
REMARK_BYTES = 255  # what is longer is cut, within a character too
errors = []


def expect(what, got, wanted):
    if got != wanted:
        errors.append(what)
        print(f"{what}:\n  expected {wanted!r:.400}\n  got      {got!r:.400}")


def write(program, form, words, unread=0):
    return subprocess.run([program, form, str(unread), *words], capture_output=True, check=True).stdout.decode()


def clean(word):
    word = re.sub(r"[\n\r\t]", " ", word)
    return re.sub("[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]", "\ufffd", word)


def shown(word, max_bytes=None):
    """As base/text_fit.h leaves it, and snprintf() before it."""
    word = word.encode()[:max_bytes].decode(errors="replace")
    return clean(word)


def groups():
    """All words, in groups of so many gates as there can be; and random mixtures."""
    rng = random.Random(3)
    for at in range(0, len(WORDS), GATES_MAX):
        yield WORDS[at:at + GATES_MAX]
    for _ in range(40):
        yield ["".join(rng.choice(rng.choice(WORDS)) for _ in range(rng.randint(1, 30))) for _ in range(rng.randint(1, GATES_MAX))]


# --- Markdown


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.code, self.inside = set(), [], [], None

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, _ in attributes:
            self.tags.add(f"{tag} {name}") if name != "style" else None
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "code":
            self.code.append("")
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += text
        if self.inside == "code":
            self.code[-1] += text


def cell(word, max_bytes=None):
    return shown(word, max_bytes).strip(" ")


def check_markdown(program, words):
    text = write(program, "markdown", words)
    page = Page()
    page.feed(markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))
    expect("elements", page.tags - {"p", "table", "thead", "tbody", "tr", "th", "td", "h3", "ul", "li", "code"}, set())
    rows = [[c.replace("\u200b", "").strip(" ") for c in row] for row in page.rows]
    expect("head", rows[0], ["gate", "before", "after", "verdict", ""])
    expect("gates", [[r[0], r[3], r[4]] for r in rows[1:]],
           [[cell(w), VERDICTS[i % 4], cell(w, REMARK_BYTES)] for i, w in enumerate(words)])
    for c in (c for row in page.rows for c in row):
        found = re.search(r"@\w|#\d|://|www\.", c, re.ASCII)
        expect(f"a mention or a link in {c!r}", found and found[0], None)


# --- JUnit


def xml(word, max_bytes=None):
    return re.sub("[\ufffe\uffff]", "\ufffd", shown(word, max_bytes))


def check_junit(program, words, unread):
    suite, complaints = junit_schema.read(write(program, "junit", words, unread))
    expect("schema of JUnit", complaints, [])
    cases = suite.findall("testcase")
    if unread:
        last = cases.pop()
        expect("files that could not be read", [child.tag for child in last], ["error"])
    expect("names", [case.get("name") for case in cases], [xml(w) for w in words])
    tags = ["system-out", "failure", "failure", "skipped"]
    expect("outcomes", [[child.tag for child in case] for case in cases], [[tags[i % 4]] for i in range(len(words))])
    remarks = [xml(w, REMARK_BYTES) for w in words]
    for i, (case, remark) in enumerate(zip(cases, remarks)):
        expect("remark", i % 4 == 0 or case[0].get("message") == remark, True)


def main(program):
    n = 0
    for words in groups():
        check_markdown(program, words)
        check_junit(program, words, n % 2)
        n += 1
    print(f"{n} comparisons; {len(errors)} errors")
    return len(errors) > 0


sys.exit(main(*sys.argv[1:]))
