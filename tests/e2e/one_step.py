"""One run as JSON and as text: every figure of a step is of the one step that the headline tells.

    one_step.py JSON TEXT... NAME

TEXT is what a person reads: the terminal's, Markdown or HTML.
"""
import html
import json
import re
import sys

NUMBER = r"([\d,]+(?:\.\d+)?)"
TOLD = re.compile(rf"[Aa] step takes {NUMBER} ms|step of {NUMBER} ms|mean of \d+: {NUMBER} ms|the whole recording, {NUMBER} ms")
PREDICTED = re.compile(rf"{NUMBER} ms +\((?:&minus;|[−-])(\d+(?:\.\d+)?) %\)")


def number(text):
    return float(text.replace(",", ""))


def least_digit(text):
    return 10.0 ** -len(text.partition(".")[2])


class Doubts(list):
    def expect(self, true, what):
        if not true:
            self.append(what)


def check_parts(doubts, rank):
    """Bars and phases add up to the step."""
    parts, step = rank["step_time_us"], rank["step"]["ms"]
    if parts:
        doubts.expect(abs(parts["span"] / 1e3 - step) < 1e-5, f"parts of {parts['span'] / 1e3} ms")
        keys = ("compute", "communication", "copies", "idle") if parts["compute"] is not None else ("busy", "waiting", "unattributed")
        doubts.expect(abs(sum(parts[k] for k in keys) - parts["span"]) < 0.01, "parts that do not add up")
    if rank["phases_ms"] and rank["steps"]["count"]:
        doubts.expect(abs(sum(rank["phases_ms"].values()) - step) < 1e-4 * step + 1e-5, "phases that do not add up")


def check_findings(doubts, run, step):
    if run["replay"]:
        doubts.expect(abs(run["replay"]["step_ms"] - step) < 1e-5, f"a replay of a step of {run['replay']['step_ms']} ms")
    for finding in run["findings"]:
        rule = finding["rule"]
        if finding["price"]["step_ms"] is None:
            continue  # of something beside the step
        doubts.expect(finding["holds_ms"] <= step + 1e-5, f"{rule} holds {finding['holds_ms']} ms")
        doubts.expect(abs(finding["price"]["ratio"] * step - finding["price"]["step_ms"]) < 1e-4 * step, f"{rule}'s ratio")


def check_account(doubts, run, step):
    """The parts that have a sentence and the small ones make the step; no two of them read alike."""
    account = run["account"]
    if not account:
        return
    parts = account["parts"]
    total = sum(p["ms"] for p in parts) + account["small_ms"]
    doubts.expect(abs(total - step) <= 0.01 * step, f"an account of {total} ms")
    doubts.expect(abs(run["explained_frac"] - 1 + account["unexplained_ms"] / step) < 1e-4, "two shares that are explained")
    doubts.expect(all(p["ms"] >= 0.05 * step - 1e-5 for p in parts), "a part below 5 %")
    told = [(p["kind"], p["what"], p["where"]) for p in parts]
    doubts.expect(len(set(told)) == len(told), "parts that read alike")


def check_text(doubts, text, step):
    text = html.unescape(re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", text, flags=re.S))
    told = [next(filter(None, groups)) for groups in TOLD.findall(text)]
    doubts.expect(told, "no step in the text")
    for said in told:
        doubts.expect(abs(number(said) - step) <= 0.51 * least_digit(said), f"a step of {said} ms in the text")
    for said, percent in PREDICTED.findall(text):
        after = step * (1 - float(percent) / 100)
        slack = 0.51 * least_digit(said) + 0.0051 * step * least_digit(percent)
        doubts.expect(abs(number(said) - after) <= slack, f"{said} ms (−{percent} %) in the text")


def main():
    run = json.load(open(sys.argv[1], encoding="utf-8"))
    step, doubts = run["step"]["ms"], Doubts()
    if step is None:
        doubts.expect(all(r["step"]["ms"] is None for r in run["ranks"]), "a rank has a step, the run has none")
    else:
        doubts.expect(run["ranks"][run["shown_index"]]["step"] == run["step"], "the shown rank has another step")
        for rank in run["ranks"]:
            check_parts(doubts, rank)
        check_findings(doubts, run, step)
        check_account(doubts, run, step)
        for path in sys.argv[2:-1]:
            check_text(doubts, open(path, encoding="utf-8").read(), step)
    for doubt in doubts:
        print(f"{sys.argv[-1]}: the step is {step} ms, but: {doubt}")
    return bool(doubts)


sys.exit(main())
