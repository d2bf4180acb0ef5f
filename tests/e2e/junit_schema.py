"""JUnit XML as Jenkins' schema has it: junit-10.xsd of its xUnit plugin."""
import re
import xml.etree.ElementTree

# The attributes that are needed, those that may be there, and the elements within.
OUTCOMES = {"skipped", "error", "failure", "system-out", "system-err"}
SCHEMA = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time", "timestamp", "hostname", "file"}, {"testcase"}),
    "testcase": ({"name"}, {"classname", "time"}, OUTCOMES),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
    **{name: (set(), {"type", "message"}, set()) for name in ("skipped", "error", "failure")},
}
WORST_FIRST = ["error", "failure", "skipped"]
# XML 1.0 has no other characters; the parser refuses most others already.
NO_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def outcome(case):
    return next((tag for tag in WORST_FIRST if case.find(tag) is not None), "passed")


def read(text):
    """The one suite, and what is wrong with the document. An exception where it is not well-formed."""
    root = xml.etree.ElementTree.fromstring(text.encode())
    wrong = [f"the root is {root.tag}"] * (root.tag != "testsuites")
    wrong += ["a character that XML does not have"] * bool(NO_CHARACTERS.search(text))
    for element in root.iter():
        needed, more, within = SCHEMA.get(element.tag, (set(), set(), set()))
        names = set(element.attrib)
        wrong += [f"<{element.tag}> lacks {name}" for name in needed - names]
        wrong += [f"<{element.tag}> has {name}" for name in names - needed - more]
        wrong += [f"<{child.tag}> in <{element.tag}>" for child in element if child.tag not in within]
    suite = root.find("testsuite")
    outcomes = [outcome(case) for case in suite]
    counts = {"tests": len(outcomes), "errors": outcomes.count("error"), "failures": outcomes.count("failure"),
              "skipped": outcomes.count("skipped")}
    wrong += [f"{name}=\"{suite.get(name)}\" of {n}" for name, n in counts.items() if suite.get(name) != str(n)]
    return suite, wrong
