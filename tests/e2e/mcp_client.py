"""gait mcp by the official Python client, as the tests of it use it."""
import json
import sys

import mcp

BRIEF_BYTES_MAX = 2048


class Check:
    def __init__(self):
        self.checks = self.errors = 0

    def that(self, holds, said):
        self.checks += 1
        if not holds:
            self.errors += 1
            print(f"wrong: {said}"[:600])
        return holds

    def end(self):
        print(f"{self.checks} checks, {self.errors} errors")
        sys.exit(self.errors > 0)


def connect(gait, work, *options, mode="auto", env=None):
    """A client, to be entered; the server works in the folder `work`."""
    server = mcp.StdioServerParameters(command=str(gait), args=["mcp", *options], cwd=str(work), env=env)
    return mcp.Client(server, mode=mode)


def text_of(result):
    return "\n".join(c.text for c in result.content)


async def brief(check, client, tool, **arguments):
    """The result of a call that must succeed, as a dict."""
    result = await client.call_tool(tool, arguments)
    if not check.that(not result.is_error, f"{tool}: {text_of(result)}"):
        return None
    output = result.structured_content
    check.that(output == json.loads(result.content[0].text), f"{tool}: the text is not the structured content")
    check.that(len(result.content[0].text.encode()) <= BRIEF_BYTES_MAX, f"{tool}: a brief of {len(result.content[0].text)}")
    check.that(output["format"] == "gait-brief" and output["command"] == tool, f"{tool}: {output}")
    return output
