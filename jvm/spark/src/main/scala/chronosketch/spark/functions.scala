package chronosketch.spark

import chronosketch.spark.dsl._

/** The functions of SQL for Scala: `import chronosketch.spark.functions._`.
  *
  * Each function has the arguments of its SQL function, with the same order and defaults. docs/reference.md explains them and shows
  * all three languages side by side. You can give phi as a number, a sequence of numbers or a column, and a window as a text, a
  * duration, a number or a column. Most aggregates also have a form in which every argument is a column.
  *
  * {{{
  * spark.range(1, 101).groupBy(col("id") % 2).agg(approx_quantile(col("id"), 0.99).as("p99")).orderBy("p99").head()
  * // [1,99]
  * }}}
  */
object functions extends AggregateFunctions with WindowFunctions with HistoryFunctions with QuestionFunctions
    with ComparisonFunctions with MomentFunctions with SampleFunctions with ImportFunctions
