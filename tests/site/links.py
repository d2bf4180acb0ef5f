#!/usr/bin/env python3
"""Every link leads somewhere. No network: of links to other sites only the form is looked at.

    links.py site FOLDER       a built site: files, anchors, and that each page is reached from index.html
    links.py markdown ROOT     the Markdown files of the repository: files and anchors
    links.py self-test         what is planted must be seen
"""
import html.parser
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}  # without a click
SCHEMES = ("https", "http", "mailto")


class Page(html.parser.HTMLParser):
    """The identifiers of a page and where it links: (tag, target)."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.problems = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                if value in self.ids:
                    self.problems.append(f"the identifier {value} comes twice")
                self.ids.add(value)
            elif (tag, name) in LOADED or name == "href":
                self.targets.append((tag, name, value or ""))


def form_of_outside(target):
    """What is wrong with the form of a link to another site, or None."""
    try:
        parts = urlsplit(target)
    except ValueError as problem:
        return str(problem)
    if parts.scheme not in SCHEMES:
        return f"the scheme {parts.scheme} is none of {', '.join(SCHEMES)}"
    if re.search(r"[\s<>\"{}|\\^`]", target):
        return "it has a character that no address has"
    if parts.scheme != "mailto" and not re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", parts.netloc):
        return "its host is none"
    return None


def is_outside(target):
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target) is not None


def problem_of_target(pages, folder, page, tag, name, target):
    """What is wrong with a link of a page, or None; and the page that it leads to, or None."""
    if target.startswith("data:") and (tag, name) in LOADED:
        return None, None
    if is_outside(target):
        if (tag, name) in LOADED:
            return "it is loaded from the network", None
        return form_of_outside(target), None
    path, _, anchor = target.partition("#")
    file = Path(os.path.normpath(page.parent / unquote(path))) if path else page
    if not file.is_relative_to(folder):
        return "it leaves the site", None
    if not file.is_file():
        return "it leads nowhere", None
    if anchor and file in pages and unquote(anchor) not in pages[file].ids:
        return "there is no such anchor", None
    return None, file


def check_site(folder):
    folder = folder.resolve()
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    problems, leads, outside = [], {}, set()
    for path, page in pages.items():
        problems += [f"{path.relative_to(folder)}: {problem}" for problem in page.problems]
        leads[path] = set()
        for tag, name, target in page.targets:
            problem, file = problem_of_target(pages, folder, path, tag, name, target)
            if problem:
                problems.append(f"{path.relative_to(folder)}: {target}: {problem}")
            leads[path].add(file)
            if is_outside(target):
                outside.add(target)
    problems += [f"{path.relative_to(folder)}: no link from index.html comes here" for path in unreached(folder, leads)]
    links = sum(len(page.targets) for page in pages.values())
    return problems, f"{len(pages)} pages, {links} links, {len(outside)} addresses of other sites"


def unreached(folder, leads):
    reached, todo = set(), [folder / "index.html"]
    while todo:
        page = todo.pop()
        if page not in reached:
            reached.add(page)
            todo += leads.get(page, ())
    return sorted(set(leads) - reached)


def without_code(text):
    """Markdown without what is shown as it is: fenced blocks, code between backticks, comments."""
    text = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", text, flags=re.M | re.S)
    return re.sub(r"<!--.*?-->", "", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "`", text, flags=re.S), flags=re.S)


def anchors(text):
    """The anchors that GitHub gives to the headings."""
    found = set()
    fenceless = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6} +(.*?) *#* *$", fenceless, flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        n = 0
        while (slug if not n else f"{slug}-{n}") in found:
            n += 1
        found.add(slug if not n else f"{slug}-{n}")
    return found


def problem_in_markdown(root, path, target):
    if is_outside(target):
        return form_of_outside(target)
    name, _, anchor = target.partition("#")
    file = Path(os.path.normpath(path.parent / unquote(name))) if name else path
    if not file.is_relative_to(root):
        return "it leaves the repository"
    if not file.exists():
        return "it leads nowhere"
    if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
        return "there is no such anchor"
    return None


def check_markdown(root, files):
    root = root.resolve()
    problems, count = [], 0
    for name in files:
        path = root / name
        for target in re.findall(r"\]\(<?([^\s()>]*(?:\([^\s()]*\)[^\s()>]*)*)>?(?: +\"[^\"]*\")?\)", without_code(path.read_text())):
            count += 1
            problem = problem_in_markdown(root, path, target)
            if problem:
                problems.append(f"{name}: {target}: {problem}")
    return problems, f"{len(files)} Markdown files, {count} links"


def markdown_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(name for name in listed if name and (root / name).is_file())


# A link as it stands, and a part of what must be said of it; None: nothing.
SITE_CASES = [
    ('<a href="other.html">', None), ('<a href="other.html#part">', None), ('<a href="#here">', None),
    ('<a href="https://example.org/a?b#c">', None), ('<a href="nothing.html">', "leads nowhere"),
    ('<a href="other.html#nothing">', "no such anchor"), ('<a href="#nothing">', "no such anchor"),
    ('<a href="folder">', "leads nowhere"), ('<a href="../up.html">', "leaves the site"), ('<img src="no.png">', "leads nowhere"),
    ('<script src="https://example.org/x.js"></script>', "from the network"), ('<a href="https://exa mple.org/">', "no address has"),
    ('<a href="https:///x">', "host is none"), ('<a href="javascript:alert(1)">', "scheme"), ('<p id="here">', "comes twice"),
]
MARKDOWN_CASES = [
    ("[a](b.md)", None), ("[a](b.md#two-words)", None), ("[a](b.md#two-words-1)", None), ("`[a](no.md)`", None),
    ("```\n[a](no.md)\n```", None), ("[a](folder)", None), ("[a](no.md)", "leads nowhere"), ("[a](b.md#no)", "no such anchor"),
    ("[a](#no)", "no such anchor"), ("![a](no.png)", "leads nowhere"), ("[a](../../x.md)", "leaves the repository"),
    ("[a](https:/x)", "host is none"),
]


def seen(case, problems, expected):
    """Whether exactly what is expected was said of a case."""
    good = not problems if expected is None else len(problems) == 1 and expected in problems[0]
    if not good:
        print(f"of {case!r} was said: {problems or 'nothing'}; expected: {expected or 'nothing'}")
    return good


def self_test():
    good = []
    with tempfile.TemporaryDirectory() as work:
        site = Path(work) / "site"
        (site / "folder").mkdir(parents=True)
        (site / "other.html").write_text('<h2 id="part">x</h2>')
        for link, expected in SITE_CASES:
            (site / "index.html").write_text(f'<a href="other.html">x</a><p id="here">{link}')
            good.append(seen(link, check_site(site)[0], expected))
        (site / "index.html").write_text("<p>")
        good.append(seen("a page alone", check_site(site)[0], "no link from index.html"))
        (site / "b.md").write_text("# Title\n## Two words\ntext\n## Two `words`\n```\n# No heading\n```\n")
        for link, expected in MARKDOWN_CASES:
            (site / "a.md").write_text(f"# A\n\n{link}\n")
            good.append(seen(link, check_markdown(site, ["a.md"])[0], expected))
    return [] if all(good) else ["the self-test failed"], f"{len(good)} cases"


def main(arguments):
    if arguments == ["self-test"]:
        problems, said = self_test()
    elif len(arguments) == 2 and arguments[0] == "site":
        problems, said = check_site(Path(arguments[1]))
    elif len(arguments) == 2 and arguments[0] == "markdown":
        root = Path(arguments[1]).resolve()
        problems, said = check_markdown(root, markdown_files(root))
    else:
        sys.exit(__doc__)
    for problem in problems:
        print(problem)
    print(f"{' '.join(arguments)}: {said}, {len(problems)} problems")
    return problems != []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
