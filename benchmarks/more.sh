#!/usr/bin/env bash
# Measures the pages that have no ratio of results/README.md: sizes, memory, profiles, streams, histories, roll-ups, structures
# chosen by name, and papers. all.sh measures the others.
#
#   bash benchmarks/more.sh
#
# It takes several hours: roll-ups alone about one, on 300 million rows, and warehouses and the design space half an hour each or more.
source "$(dirname "$0")/run.sh"

run tails.py
run tradeoff.py
run spark_memory.py
run spark_scale.py --rounds 2
run profiles.py
run spark_hopping.py --structures
run spark_hopping_state.py
run spark_history.py
run spark_rollup.py
run spark_comparison.py
run papers/windows.py
run papers/qlove.py
run papers/history.py
run papers/warehouse.py
run papers/design_space.py
