#!/bin/sh
# The files of --profile-dir have the keys that guides to profiling read, figures agree wherever they stand, FLOPs of a
# step do not depend on how many steps were profiled, and a sweep fits an exponent.
set -eu
gait=$(realpath "$1")
source=$(realpath "$2")
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() { echo "$1"; cat out err; exit 1; }
small="--layers 2 --builtin-chars 100000 --profile-warmup 2"

"$gait" profile "$source/examples/tiny.yaml" $small --batch-size 8 --context 128 --profile-steps 5 --top 10 --roofline \
    --profile-dir ./bottleneck_analysis >out 2>err
grep -q "MFU [0-9.]* % of [0-9.]* [GT]FLOP/s f32 (measured), [0-9.]* % by 6·N·tokens" out || fail "no MFU by both formulas"
grep -q "FLOP a byte (counted)" out || fail "no roofline in letters"
for file in profile.gait summary.json performance_summary_report.md roofline.svg; do
    [ -s "bottleneck_analysis/$file" ] || fail "$file is missing"
done
grep -q "^| 1 | .* times its bound (" bottleneck_analysis/performance_summary_report.md || fail "no table of top operators"

# as a guide has it
python3 -c "
import json
with open('./bottleneck_analysis/flops_analysis/flops_profile.json', 'r') as f:
    data = json.load(f)

print('=== FLOPS EFFICIENCY ANALYSIS ===')
print(f'Model FLOPS Utilization: {data[\"efficiency_metrics\"][\"mfu_percent\"]:.1f}%')
print(f'Achieved FLOPS/sec: {data[\"performance_metrics\"][\"flops_per_sec\"]:.2e}')
print(f'Peak Device FLOPS: {data[\"efficiency_metrics\"][\"device_peak_flops\"]:.2e}')
print(f'FLOPS per Parameter: {data[\"flops_analysis\"][\"flops_per_parameter\"]:.2f}')
print(f'Throughput: {data[\"performance_metrics\"][\"throughput_samples_per_sec\"]:.1f} samples/sec')
" >snippet 2>err || fail "the first snippet does not run"
python3 -c "
import json
import os

intensity_file = './bottleneck_analysis/flops_analysis/computational_intensity.json'
if os.path.exists(intensity_file):
    with open(intensity_file, 'r') as f:
        data = json.load(f)

    print('=== MEMORY BOTTLENECK ANALYSIS ===')
    print(f'Arithmetic Intensity: {data[\"arithmetic_intensity_flops_per_byte\"]:.2f} FLOPS/byte')
    print(f'Memory Bandwidth Used: {data[\"memory_bandwidth_used_gb_per_sec\"]:.1f} GB/s')
    print(f'Bandwidth Utilization: {data[\"memory_bandwidth_utilization_percent\"]:.1f}%')
    print(f'Workload Type: {data[\"memory_bound_vs_compute_bound\"]}')
else:
    print('Computational intensity analysis not available')
" >>snippet 2>err || fail "the second snippet does not run"
grep -Eq "^Workload Type: (memory|compute)-bound$" snippet || fail "no type of workload"

# one quantity, one value
mfu=$(sed -n 's/.*MFU \([0-9.]*\) % of.*/\1/p' out)
grep -q "^Model FLOPS Utilization: $mfu%$" snippet || { cat snippet; fail "the screen says MFU $mfu %"; }
grep -q "MFU: $mfu %; class: " bottleneck_analysis/performance_summary_report.md || fail "the summary has another MFU"
samples=$(sed -n 's/^Throughput: \([0-9.]*\) samples.*/\1/p' snippet)

# 3 steps or 30: the work of a step is the same
flop() { python3 -c "import json; d = json.load(open('$1/flops_analysis/flops_profile.json')); print(d['flops_analysis']['flops_per_step'])"; }
for steps in 3 30; do
    "$gait" profile "$source/examples/tiny.yaml" $small --profile-steps $steps --profile-dir steps$steps >out 2>err
done
[ "$(flop steps3)" = "$(flop steps30)" ] || fail "FLOPs of a step: $(flop steps3) of 3 steps, $(flop steps30) of 30"

# twice the batch is about twice the time: exponent within wide margins
"$gait" profile "$source/examples/tiny.yaml" $small --profile-steps 12 --sweep batch_size=4,8,16 --profile-dir sweep \
    --checkpoint-dir kept --checkpoint-interval 5 >out 2>err || fail "no sweep of a config with checkpoints"
[ ! -e kept ] || fail "a sweep leaves checkpoints"
grep -q "^A step grows as batch_size^" out || fail "no exponent"
[ -s sweep/sweep_batch_size.svg ] || fail "no picture of the sweep"
python3 - <<'PY' || fail "the exponent of the batch is out of all reason"
import json
d = json.load(open("sweep/sweep_batch_size.json"))
assert 0.4 < d["time"]["exponent"] < 1.6, d["time"]
assert [p["value"] for p in d["points"]] == [4, 8, 16] and all(p["steps"] == 12 for p in d["points"])
PY
if "$gait" profile "$source/examples/tiny.yaml" --sweep nothing=1,2 >out 2>err; then fail "an unknown setting was swept"; fi
grep -q 'no setting is called "nothing"' err || fail "an unknown setting is not named"
echo "MFU $mfu %, $samples samples/s"
