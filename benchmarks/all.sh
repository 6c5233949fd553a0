#!/usr/bin/env bash
# Measures every ratio of results/README.md again, and writes that page. Each figure is measured by one command only.
#
#   bash benchmarks/all.sh
#
# It took 115 minutes on two cores of an AMD EPYC with 24 GiB, besides ten in which it waited for other work between commands. The numbers at
# the ends of the lines are minutes of that run; the other engines and small sketches have more rounds since. It prints those of each command.
# The core and Spark's own plan of hopping windows have one round, so their least and greatest are the same.
#
# more.sh measures the pages that have no ratio of that page: sizes, memory, profiles, streams, histories, roll-ups and papers.
#
# Within a script the sides of a figure run in turns. The packages of the peers (duckdb, chdb, polars, datasketches) may lie anywhere
# on PYTHONPATH; a peer that is missing is left out, and its rows say so. spark_comet stays as it is without COMET_PYTHON, a Python with
# PySpark 4.1 and both packages of ours: Comet has no jar for Spark 4.2.
source "$(dirname "$0")/run.sh"

run core.py --rounds 1                                                                                 # 4
run spark_aggregate.py --rounds 2 --warm-up 1                                                          # 8
run spark_aggregate.py --rounds 2 --warm-up 1 --name spark_aggregate_shapes                            # 8
run spark_aggregate.py --rounds 2 --warm-up 1 --rows 100000000                                         # 15
run spark_aggregate.py --rounds 7 --warm-up 1 --rows 100000000 --name spark_aggregate_100m_engines     # 4
run spark_aggregate.py --rounds 2 --warm-up 1 --name spark_moments                                     # 2
run spark_aggregate.py --rounds 2 --warm-up 1 --name spark_samples                                     # 2
run spark_aggregate.py --rounds 3 --warm-up 1 --name spark_tails                                       # 1
run spark_aggregate.py --rounds 2 --warm-up 1 --rows 50000000 --name spark_cube                        # 4
run spark_sliding.py --rounds 2 --warm-up 1                                                            # 28
run spark_hopping.py --rounds 2 --warm-up 1 --expand-rounds 1 --rows 1000000 --no-compare              # 4
run spark_hopping.py --beside-spark --expand-rounds 1 --rows 2000000                                   # 15
run spark_window.py --rounds 2 --warm-up 1                                                             # 5
run planning.py --rounds 6 --warm-up 3                                                                 # 4
run spark_cold.py --rounds 3                                                                           # 2
run sketch_column.py --rounds 3                                                                        # 3
run sketch_building.py --rounds 3                                                                      # 1
run spark_portable.py --rounds 2                                                                       # 3
run spark_small.py --rounds 11 --warm-up 2                                                             # 2
with_spark_4_2=$python python=${COMET_PYTHON:-true}
run spark_comet.py                                                                                     # 3
python=$with_spark_4_2
run summary.py
