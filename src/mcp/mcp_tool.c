#include "mcp/mcp_tool.h"

#include "base/nearest.h"

#include <string.h>

#define RUNS                                                                             \
    {                                                                                    \
        "runs", MCP_WORDS, NULL, true, MCP_READS, 0, 0,                                  \
            "run files (*.gait) and PyTorch profiler traces (*.json, *.json.gz, "        \
            "*.json.zst); a folder stands for those in it; several are the ranks of "    \
            "one job"                                                                    \
    }
#define OPTION(name, type, help)                                                         \
    {                                                                                    \
        name, type, "--" name, false, MCP_READS, 0, 0, help                              \
    }
#define OPTION_OF_NUMBER(name, type, min, max, help)                                     \
    {                                                                                    \
        name, type, "--" name, false, MCP_READS, min, max, help                          \
    }

/* Every tool has these; one that prints no JSON has not the last. */
static const struct mcp_argument own_arguments[] = {
    {"folder", MCP_WORD, "", false, MCP_READS, 0, 0,
     "run there; paths are relative to it"},
    {"timeout_s", MCP_NUMBER, "", false, MCP_READS, 1, 7 * 86400.0,
     "end it after so many seconds"},
    {"full", MCP_FLAG, "", false, MCP_READS, 0, 0,
     "the whole JSON of the command instead of at most 2 KB; it may be large"},
};
enum { OWN_ARGUMENTS = sizeof own_arguments / sizeof *own_arguments };

static const struct mcp_argument analyze_arguments[] = {
    RUNS,
    OPTION("graph", MCP_WORD,
           "what torch.profiler.ExecutionTraceObserver wrote beside the one trace"),
};

static const struct mcp_argument explain_arguments[] = {
    {"finding", MCP_WORD, NULL, false, MCP_READS, 0, 0,
     "an id of `analyze`, a number from 1, or the name of a rule; without it: which "
     "rules "
     "were asked, and what they found"},
    RUNS,
    OPTION("graph", MCP_WORD, "as of `analyze`"),
};

static const struct mcp_argument whatif_arguments[] = {
    RUNS,
    {"questions", MCP_WORDS, NULL, true, MCP_READS, 0, 0,
     "each one of: remove WHAT; scale WHAT FACTOR; no-wait; no-loader; batch=2x; "
     "ranks=64 net=25GB/s. WHAT is op:NAME, call:NAME, range:NAME, frame:NAME, "
     "kernel:NAME, copy:NAME or collective:NAME; * stands for any text"},
};

static const struct mcp_argument verify_arguments[] = {
    {"before", MCP_WORD, NULL, true, MCP_TRAINS_CONFIGS, 0, 0,
     "a run or a trace from before the change; or a config (.yaml) of Gait's trainer"},
    {"after", MCP_WORD, NULL, true, MCP_TRAINS_CONFIGS, 0, 0, "the same from after it"},
    {"ab", MCP_FLAG, "--ab", false, MCP_RUNS_PROGRAMS, 0, 0,
     "before and after are shell commands of PyTorch jobs: run both here, step by step "
     "in "
     "turns, and end them. This starts programs"},
    OPTION_OF_NUMBER("budget", MCP_NUMBER, 1, 1e6,
                     "seconds for timing configs or commands [60]"),
    OPTION_OF_NUMBER("patience", MCP_NUMBER, 1, 1e6,
                     "seconds with a command's job that takes no step [600]"),
};

static const struct mcp_argument lint_arguments[] = {
    {"paths", MCP_WORDS, NULL, true, MCP_READS, 0, 0,
     "Python files and folders; they are read as one program, and not run"},
    OPTION("with", MCP_WORD, "a run or a trace of the job: what each finding costs"),
    OPTION("select", MCP_WORD,
           "rules: codes (GT101), their beginnings (GT1), names, or ALL"),
    OPTION("isolated", MCP_FLAG, "no settings from files (pyproject.toml)"),
};

static const struct mcp_argument record_arguments[] = {
    {"output", MCP_WORD, "--output", true, MCP_READS, 0, 0,
     "the run file to write, *.gait; one that is there is replaced"},
    {"stop_after", MCP_FLAG, "--stop-after", false, MCP_READS, 0, 0,
     "end the job when it is recorded"},
    OPTION_OF_NUMBER("warmup", MCP_INTEGER, 0, 1e6, "steps before the first round [5]"),
    OPTION_OF_NUMBER("rounds", MCP_INTEGER, 1, 1000,
                     "rounds of untraced and traced steps [5]"),
    OPTION_OF_NUMBER("untraced", MCP_INTEGER, 1, 10000, "untraced steps of a round [5]"),
    OPTION_OF_NUMBER("traced", MCP_INTEGER, 1, 1000, "traced steps of a round [5]"),
    OPTION_OF_NUMBER(
        "replacements", MCP_NUMBER, 0, 1e5,
        "seconds for measuring faster ways, in the job, after the rounds [10]"),
    {"command", MCP_WORDS, NULL, true, MCP_READS, 0, 0,
     "the program and its arguments, one word each: [\"python\", \"train.py\"]; there is "
     "no shell"},
};

#define ARGUMENTS(list) (list), sizeof(list) / sizeof *(list)

const struct mcp_tool mcp_tools[] = {
    {"lint", "Read training source",
     "Causes of slow or wrong training that Python source shows, without running it. "
     "With a "
     "run it says what each costs, and tells more.",
     ARGUMENTS(lint_arguments), false, false, 600},
    {"record", "Record a job",
     "Runs a PyTorch training job, unedited, and records some of its steps into a run "
     "file "
     "for the other tools. The job must take at least 18 optimizer steps; all rounds are "
     "complete after 66. It starts the program that is given, with all that this may do.",
     ARGUMENTS(record_arguments), true, true, 3600},
    {"analyze", "Where the time goes",
     "Step time, and findings: causes of lost time, each with its id and the predicted "
     "gain "
     "per step.",
     ARGUMENTS(analyze_arguments), false, false, 600},
    {"explain", "Explain a finding",
     "One finding with its evidence, its price and the fix as code; or all that was "
     "looked "
     "for.",
     ARGUMENTS(explain_arguments), false, false, 600},
    {"whatif", "Ask what a change would gain",
     "What a step would take if something were removed, scaled, or different: answered "
     "by "
     "replaying the run.",
     ARGUMENTS(whatif_arguments), false, false, 600},
    {"verify", "Verify a change",
     "Is it faster, and still the same model? Gates over two recordings, from before and "
     "after a change. Two configs of Gait's trainer are trained here.",
     ARGUMENTS(verify_arguments), false, false, 3600},
};
const size_t mcp_tool_count = sizeof mcp_tools / sizeof *mcp_tools;

const struct mcp_tool *mcp_tool_named(const char *name, bool read_only, struct err *err)
{
    const char *names[sizeof mcp_tools / sizeof *mcp_tools];
    size_t n = 0;
    for (size_t i = 0; i < mcp_tool_count; i++) {
        const struct mcp_tool *t = &mcp_tools[i];
        bool offered = !read_only || !t->runs_programs;
        if (!strcmp(t->name, name) && offered)
            return t;
        if (!strcmp(t->name, name)) {
            err_set(err, STATUS_USAGE,
                    "this server only reads (--read-only): it has no tool %s", name);
            return NULL;
        }
        if (offered)
            names[n++] = t->name;
    }
    const char *near = nearest_name(name, names, n);
    err_set(err, STATUS_USAGE, "there is no tool \"%.80s\"%s%s; tools/list lists them",
            name, near ? ", did you mean " : "", near ? near : "");
    return NULL;
}

size_t mcp_argument_count(const struct mcp_tool *tool)
{
    return tool->n + OWN_ARGUMENTS - tool->prints_own;
}

const struct mcp_argument *mcp_argument_at(const struct mcp_tool *tool, size_t i)
{
    return i < tool->n ? &tool->argument[i] : &own_arguments[i - tool->n];
}
