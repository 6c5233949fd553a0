package chronosketch.spark

import chronosketch.spark.dsl.{
  AggregateFunctions,
  HistoryFunctions,
  ImportFunctions,
  MomentFunctions,
  ReaderFunctions,
  SampleFunctions,
  ShapeFunctions,
  WindowFunctions
}

/** The functions of SQL for Scala: `import chronosketch.spark.functions._`.
  *
  * Each has the arguments and the defaults of its SQL function, in the same order; docs/reference.md says what they mean. Phi may be
  * a number, a sequence of numbers or a column, and a window a text, a duration, a number or a column. An aggregate also has a form
  * in which every argument is a column.
  *
  * {{{
  * spark.range(1, 101).groupBy(col("id") % 2).agg(approx_quantile(col("id"), 0.99).as("p99")).orderBy("p99").head()
  * // [1,99]
  * }}}
  */
object functions extends AggregateFunctions with WindowFunctions with HistoryFunctions with ReaderFunctions
    with MomentFunctions with SampleFunctions with ImportFunctions with ShapeFunctions
