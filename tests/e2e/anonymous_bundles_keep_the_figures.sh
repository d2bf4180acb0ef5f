#!/bin/sh
# `gait bundle --anonymous`: names and paths that were planted in a trace, and the machine's name in a run, are
# nowhere in what is unpacked, free pages of the database included; the findings and their figures are those of before.
#   SCRIPT GAIT SOURCE_ROOT
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

# The findings and all their figures, without the words around them.
figures() { # analysis.json
    python3 - "$1" <<'PYTHON'
import json, sys
a = json.load(open(sys.argv[1]))
numbers = lambda q: {k: v for k, v in q.items() if not isinstance(v, str)}
print(json.dumps(a["step"], sort_keys=True))
for f in a["findings"]:
    print(f["rule"], json.dumps(f["price"], sort_keys=True), [numbers(q) for q in f["evidence_values"]])
PYTHON
}

unpack() { # archive folder
    rm -rf "$2"
    mkdir "$2"
    tar xzf "$1" -C "$2"
}

check() { # run or trace, words that must not be found
    subject=$1
    shift
    "$gait" bundle -q "$subject" -o plain.tar.gz
    "$gait" bundle -q "$subject" --anonymous -o anonymous.tar.gz
    unpack plain.tar.gz plain
    unpack anonymous.tar.gz anonymous
    for word in "$@"; do
        grep -rqai -- "$word" plain || wrong "$subject: \"$word\" is not even in the plain bundle"
        grep -rqai -- "$word" anonymous && wrong "$subject: \"$word\" is in $(grep -rlai -- "$word" anonymous)"
    done
    figures plain/gait-bundle/run1-analysis.json >before
    figures anonymous/gait-bundle/run1-analysis.json >after
    cmp before after || { wrong "$subject: other figures"; diff before after || :; }
    "$gait" analyze --json anonymous/gait-bundle/run1.gait >again.json
    figures again.json | cmp - before || wrong "$subject: other figures from the run in the bundle"
    python3 -c 'import hashlib, json; [f for f in json.load(open("anonymous/gait-bundle/manifest.json"))["files"] if hashlib.sha256(open("anonymous/gait-bundle/" + f["name"], "rb").read()).hexdigest() != f["sha256"]] and exit(1)' ||
        wrong "$subject: a file has not the hash that the manifest says"
}

python3 - "$root/examples/three_steps.trace.json" >acme_plans.json <<'PYTHON'
import json, sys
t = json.load(open(sys.argv[1]))
host = next(e for e in t["traceEvents"] if e.get("name", "").startswith("ProfilerStep"))
def add(name, cat):
    t["traceEvents"].append({**host, "name": name, "cat": cat, "ts": host["ts"] + 1, "dur": 2, "args": {}})
add("/home/quentin/acme_rockets/thruster.py(88): ignite_booster", "python_function")
add("datasets/moonbase/patients.py(12): read_patient_zero", "python_function")
add("nn.Module: ThrusterNet_0", "python_function")
add("countdown of apollo", "user_annotation")
add("acme_rockets::burn_fuel", "cpu_op")
for e in t["traceEvents"]:
    if e.get("name") == "thread_name" and "python" in json.dumps(e):
        e["args"]["name"] = "thread 1 (wernher)"
print(json.dumps(t))
PYTHON
check acme_plans.json quentin acme_rockets moonbase patient thruster ignite_booster ThrusterNet apollo burn_fuel wernher acme_plans
"$gait" import -q acme_plans.json -o acme_plans.gait
check acme_plans.gait quentin thruster ignite_booster acme_plans

# A file that cannot be read is counted, and fails the command after it has written.
mkdir ranks
cp acme_plans.json ranks/a.json
echo '{"x":' >ranks/b.json
code=0
"$gait" bundle -q ranks -o half.tar.gz 2>/dev/null || code=$?
[ $code = 3 ] || wrong "exit code $code where a file could not be read"
tar xzOf half.tar.gz gait-bundle/manifest.json | grep -q '"unread_files": 1,' || wrong "the manifest does not count the file that was not read"

# A name of the machine that no other word holds: only where one may be given.
if "$gait" version | grep -q '^trainer: yes' && unshare --uts sh -c 'hostname planted-host' 2>/dev/null; then
    mkdir secretfolder
    yes 'to be or not to be, that is the question' | head -n 2000 >secretfolder/hamlet.txt
    unshare --uts sh -c 'hostname planted-host && exec "$@"' sh "$gait" profile -q "$root/tests/cmdline/files/good.yaml" \
        --layers 1 --width 16 --heads 2 --dataset secretfolder/hamlet.txt --tokenizer chars --profile-steps 4 \
        --profile-warmup 1 -o own.gait >/dev/null
    check own.gait planted-host secretfolder hamlet
fi
[ $failed = 0 ]
