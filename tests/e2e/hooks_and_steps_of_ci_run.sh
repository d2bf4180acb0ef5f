#!/bin/sh
# The pre-commit hook and the step for a workflow, as they stand in the repository: they fail on a finding, at its line,
# and pass once it is gone.
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
precommit=$root/.venv/bin/pre-commit

"$gait" version | grep -q '^lint: yes' || { echo "skipped: this build has no tree-sitter"; exit 77; }
[ -x "$precommit" ] || { echo "skipped: no $precommit (scripts/install-oracles)"; exit 77; }
[ -d "$root/.git" ] || [ -f "$root/.git" ] || { echo "skipped: not a git checkout, pre-commit clones one"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PRE_COMMIT_HOME="$work/cache" PATH="$(dirname "$gait"):$PATH"
fail() { echo "$1"; cat out; exit 1; }

# what pre-commit clones is committed; a checkout with changes is copied
mkdir hooks
cp "$root/.pre-commit-hooks.yaml" hooks
job=$root/tests/lint/GT101-sync-item
cp "$job/flagged-loss.py" train.py
commit() { # folder file
    git -C "$1" init -q
    git -C "$1" add -- "$2"
    git -C "$1" -c user.name=a -c user.email=a@localhost commit -q -m all
}
commit hooks .pre-commit-hooks.yaml
commit . train.py
cat >.pre-commit-config.yaml <<END
repos:
  - repo: $work/hooks
    rev: $(git -C hooks rev-parse HEAD)
    hooks:
      - id: gait-lint
        pass_filenames: false
        args: [--select, GT101]
END
git add .pre-commit-config.yaml
"$precommit" run --all-files >out 2>&1 && fail "the hook passes a program with a finding"
grep -q 'train.py:[0-9]*:[0-9]*: GT101' out || fail "the hook does not say where"
cp "$job/silent-every-100.py" train.py
git add train.py
"$precommit" run --all-files >out 2>&1 || fail "the hook fails a program without one"

# the workflow's step, line by line as a runner does
step=$(sed -n 's/^    //p' "$root/examples/ci/lint.github.yml")
[ -n "$step" ] || fail "examples/ci/lint.github.yml has no step"
printf '[tool.gait.lint]\nselect = ["GT101"]\n' >pyproject.toml
cp "$job/flagged-loss.py" train.py
sh -e -c "$step" >out 2>&1 && fail "the step passes a program with a finding"
grep -q '^::warning file=train.py,line=[0-9]*,' out || fail "no annotation"
cp "$job/silent-every-100.py" train.py
sh -e -c "$step" >out 2>&1 || fail "the step fails a program without one"
