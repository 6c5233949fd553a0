#!/usr/bin/env bash
# Measures everything again, one script after another, and gathers all ratios in results/README.md.
#
#   bash benchmarks/all.sh
#
# It takes most of a day, and wants an idle machine with 24 GiB. Within a script the sides of a figure run in turns. The packages of
# the peers (duckdb, chdb, polars, datasketches) may lie anywhere on PYTHONPATH; a peer that is missing is left out, and its
# rows say so. One page stays as it is: spark_sliding_net is of another machine.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}

run() { echo "== $*" >&2; "$python" "benchmarks/$@"; }

run core.py
run tails.py
run spark_aggregate.py
run spark_aggregate.py --rows 100000000 --rounds 3 --warm-up 1 --only ungrouped,grouped
run spark_aggregate.py --rows 100000000 --rounds 5 --warm-up 1 --only clickhouse,clickhouse-grouped,duckdb-grouped --name spark_aggregate_100m_engines
run spark_aggregate.py --rows 20000000 --rounds 3 --warm-up 2 --only ddsketch,ddsketch-grouped,columns,merging-2000,where,two-keys,nulls-grouped,groups-100,groups-100k --name spark_aggregate_shapes
run spark_aggregate.py --rows 20000000 --rounds 5 --only moments,moments-grouped --name spark_moments
run spark_aggregate.py --rows 20000000 --rounds 3 --only samples,samples-grouped --name spark_samples
run spark_aggregate.py --rows 20000000 --rounds 5 --only tails,tails-grouped --name spark_tails
run spark_aggregate.py --rows 50000000 --rounds 5 --only cube,cube-mixed,cube-copied --name spark_cube
run spark_sliding.py
run spark_hopping.py
run spark_hopping.py --beside-spark --rows 2000000
run spark_hopping.py --structures
run spark_hopping_state.py
run spark_window.py
run spark_window.py --rounds 5 --warm-up 2 --only build --name spark_window_build
run planning.py
run spark_cold.py
run spark_memory.py
run spark_scale.py --rounds 2
run profiles.py
run sketch_column.py
run sketch_building.py
run spark_portable.py
run tradeoff.py
run papers/windows.py
run papers/qlove.py
run papers/history.py
run spark_history.py
run spark_rollup.py
run spark_small.py
run spark_comparison.py
run papers/warehouse.py
run papers/design_space.py
run summary.py
