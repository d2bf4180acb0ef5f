#!/bin/sh
# A training's metrics are what Prometheus' and OpenTelemetry's own parsers make of them, agree with what else the training says of
# itself, and disturb it in nothing, whoever connects. Skips where .venv has no such parsers (scripts/install-oracles).
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import opentelemetry.proto.metrics, prometheus_client' 2>/dev/null ||
    { echo "skipped: .venv has no prometheus-client and opentelemetry-proto (scripts/install-oracles)"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$root/tests/e2e/metrics_reach_dashboards.py" "$gait" "$root"
