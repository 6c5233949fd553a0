package chronosketch.spark.aggregate

import java.nio.file.Files

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan

import chronosketch.Cases
import chronosketch.spark.TypedRows
import chronosketch.spark.aggregate.columns.ColumnAggregateExec
import chronosketch.spark.aggregate.operator.{OperatorSuite, SketchAggregation}
import chronosketch.spark.history.operator.HistoryAggregateExec

/** An aggregate of values `v` and times `t`, and the conditions that its result fulfils in each group.
  *
  * Placeholders in the texts: `{s}` is the result, `{value}` and `{time}` are types, `{span}` is the time of ten rows, and `{asOf}` is the
  * time of row 50.
  *
  * @param precise    more conditions, for values that a double holds exactly
  * @param isByColumn whether our operator can read its input by columns
  * @param isSparksOnly whether it always runs in Spark's operator
  * @param isHistory whether it runs in the operator of histories, and not in that of sketches
  * @param isOfNumbers whether its values must be numbers
  * @param isRounded   whether sums of doubles are in its bytes. Their last bits depend on the order of the sum, so operators need to
  *                    agree only on the number of values; `MomentsSuite` compares the moments of doubles
  */
private final case class Aggregate(
    call: String,
    conditions: Seq[String],
    precise: Seq[String] = Nil,
    isByColumn: Boolean = false,
    isSparksOnly: Boolean = false,
    isHistory: Boolean = false,
    isOfNumbers: Boolean = false,
    isRounded: Boolean = false
)

/** The types of one case, with expressions of `id` for their values: see [[TypedRows]]. */
private final case class Types(
    valueType: String,
    value: String,
    timeType: String,
    time: String,
    asOf: String,
    span: String
) {
  val isNumber: Boolean = Seq("INT", "FLOAT", "DOUBLE", "DECIMAL").exists(valueType.contains) &&
    !valueType.startsWith("INTERVAL")
  // Spark's doubles have no correct digit of the variance of such large numbers
  val isPrecise: Boolean = valueType != "BIGINT"

  /** The expression on which the operators must agree. */
  def compared(a: Aggregate): String =
    if (a.isRounded && (valueType == "FLOAT" || valueType == "DOUBLE")) s"sketch_count(${a.call})" else a.call

  /** A text of an aggregate or a condition for these types. */
  def in(text: String): String = text.replace("{value}", valueType).replace("{time}", timeType)
    .replace("{span}", span).replace("{asOf}", asOf)
}

/** The results of calls, by group and call, as texts that show every bit, and our operators in the plan. */
private final case class Built(results: Map[(String, String), String], operators: Seq[SparkPlan]) {
  def isOurs: Boolean = operators.nonEmpty
  def isByColumns: Boolean = operators.exists(_.isInstanceOf[ColumnAggregateExec])
}

/** Builds every aggregate over values and times of every type, in every operator. All operators give the same bytes, and the answers are
  * those of Spark's own functions.
  *
  * A new aggregate is an element of `aggregates`. A new type is an element of [[TypedRows]].
  */
class TypeMatrixSuite extends OperatorSuite {

  /** Sorted values of a group: all of them, those with a time, those of the ten last rows, those of the ten rows up to row 50, those of all
    * rows up to row 50, and that of row 50 alone.
    */
  private val truths = Seq(
    "whole" -> "v",
    "timed" -> "timed_v",
    "recent" -> "IF(id > newest - 10, timed_v, NULL)",
    "asked" -> "IF(id BETWEEN 41 AND 50, timed_v, NULL)",
    "past" -> "IF(id <= 50, timed_v, NULL)",
    "held" -> "IF(id = 50, timed_v, NULL)"
  )

  private def low(values: String): String = s"try_element_at($values, 1)"
  private def high(values: String): String = s"try_element_at($values, -1)"
  private def at(phi: String, values: String): String =
    s"try_element_at($values, CAST(greatest(1, ceil(CAST($phi AS DECIMAL(4,3)) * size($values))) AS INT))"

  /** An array of answers, or NULL if the group has no values. */
  private def answers(values: String, list: String*): String =
    s"IF(size($values) = 0, NULL, array(${list.mkString(", ")}))"
  private def ends(values: String): String = answers(values, low(values), high(values))
  private def medianAndEnds(values: String): String =
    answers(values, low(values), at("0.5", values), high(values))

  /** The conditions of a sketch of values: their number and their quantiles. */
  private def ranked(values: String, sketch: String = "{s}"): Seq[String] = Seq(
    s"coalesce(sketch_count($sketch), 0) = size($values)",
    s"sketch_min($sketch, '{value}') <=> ${low(values)}",
    s"sketch_max($sketch, '{value}') <=> ${high(values)}",
    s"sketch_quantile($sketch, array(0, 0.5, 1), '{value}') <=> ${medianAndEnds(values)}"
  )

  private val ofValueType = "sketch_describe({s}).value_type = '{value}'"
  private val ofTimeType = "sketch_describe({s}).time_type = '{time}'"
  private val ofTypes = Seq(ofValueType, ofTimeType)

  /** Whether two doubles are as close as rounding allows. */
  private def near(answer: String, truth: String): String =
    s"($answer <=> $truth OR abs($answer - $truth) <= 1e-9 * greatest(abs($truth), 1e-3))"

  private val phis = Seq("0", "0.07", "0.125", "0.25", "0.29", "0.5", "0.57", "0.75", "0.9", "0.99", "1")

  private val aggregates: Seq[Aggregate] = Seq(
    Aggregate(
      "approx_quantile(v, array(0, 0.5, 1))",
      Seq(s"{s} <=> ${medianAndEnds("whole")}", "typeof({s}) = lower('array<{value}>')"),
      isByColumn = true
    ),
    Aggregate(
      "approx_quantile(no_nulls, array(0, 1))",
      Seq("{s} <=> array(no_nulls_low, no_nulls_high)"),
      isByColumn = true
    ),
    Aggregate(
      "approx_quantile_bounds(v, array(0, 1))",
      Seq(s"{s}.low <=> ${ends("whole")}", s"{s}.high <=> ${ends("whole")}"),
      isByColumn = true
    ),
    Aggregate(
      s"approx_quantile(array(${phis.mkString(", ")}), epsilon => 0) WITHIN GROUP (ORDER BY v DESC)",
      Seq(s"{s} <=> ${answers("whole", phis.map(at(_, "reverse(whole)")): _*)}")
    ),
    Aggregate("n_least(v, 3)", Seq("{s} <=> slice(whole, 1, 3)"), isSparksOnly = true),
    Aggregate("n_greatest(v, 1000)", Seq("{s} <=> reverse(whole)"), isSparksOnly = true),
    Aggregate("quantile_sketch_agg(v)", ofValueType +: ranked("whole"), isByColumn = true),
    Aggregate(
      "quantile_sketch_agg(v, tail => 'both')",
      ofValueType +: ranked("whole"),
      isByColumn = true
    ),
    Aggregate(
      "approx_quantile(array(0, 0.5), epsilon => 0.01, tail => 'high') WITHIN GROUP (ORDER BY v DESC)",
      Seq(s"{s} <=> ${answers("whole", high("whole"), at("0.5", "reverse(whole)"))}")
    ),
    Aggregate(
      "sample_sketch_agg(v)",
      Seq(
        ofValueType,
        "sketch_describe({s}).exact",
        "sketch_describe({s}).confidence = 1",
        "sketch_describe({s}).kept = size(whole)"
      ) ++ ranked("whole")
    ),
    Aggregate(
      "window_sketch_agg(v, t)",
      ofTypes ++ ranked("timed") ++ ranked("recent", "sketch_window({s}, {span})") ++
        ranked("asked", "sketch_window({s}, {span}, {asOf})"),
      isByColumn = true
    ),
    Aggregate(
      "window_sketch_agg(v, t, retention => {span})",
      ofTypes ++ ranked("recent", "sketch_window({s}, {span})"),
      isByColumn = true
    ),
    Aggregate(
      "approx_window_quantile(v, t, array(0, 1), {span})",
      Seq(s"{s} <=> ${ends("recent")}", "typeof({s}) = lower('array<{value}>')"),
      isByColumn = true
    ),
    Aggregate(
      "approx_window_quantile(v, t, array(0, 1), {span}, as_of => {asOf})",
      Seq(s"{s} <=> ${ends("asked")}")
    ),
    // without ids, the state of the random numbers depends on how an operator merges
    Aggregate(
      "window_sample_agg(v, t, id => id)",
      ofTypes ++ ranked("timed") ++ ranked("recent", "sketch_window({s}, {span})") ++
        Seq(
          "sketch_describe({s}).exact",
          "sketch_describe({s}).confidence = 1",
          "sketch_describe({s}).kept = size(timed)"
        )
    ),
    Aggregate(
      "history_sketch_agg(v, t)",
      ofTypes ++ ranked("past", "sketch_at_version({s}, {asOf})") ++ Seq(
        "sketch_versions({s}, '{time}').first <=> first_t",
        "sketch_versions({s}, '{time}').last <=> last_t"
      ),
      isHistory = true
    ),
    // a row is valid until the next one begins
    Aggregate(
      "history_sketch_agg(v, t, until => next_t)",
      ranked("held", "sketch_at_version({s}, {asOf})"),
      isHistory = true
    ),
    Aggregate(
      "approx_quantile_at_version(v, t, NULL, array(0, 1), {asOf})",
      Seq(s"{s} <=> ${ends("past")}"),
      isHistory = true
    ),
    Aggregate(
      "qlove_sketch_agg(v, t, array(0, 1), 4)",
      ofTypes :+ s"sketch_quantile({s}, array(0, 1), '{value}') <=> ${ends("timed")}"
    ),
    Aggregate(
      "ddsketch_agg(v)",
      ofValueType +: Seq("0", "0.5", "1").map { phi =>
        val truth = s"CAST(${at(phi, "whole")} AS DOUBLE)"
        s"coalesce(abs(sketch_quantile({s}, $phi) - $truth) <= 0.01 * abs($truth), size(whole) = 0)"
      },
      isByColumn = true,
      isOfNumbers = true
    ),
    Aggregate(
      "moments_agg(v)",
      Seq(
        ofValueType,
        "sketch_count({s}) = size(whole)",
        near("sketch_sum({s})", "CAST(moments.sum AS DOUBLE)"),
        near("sketch_mean({s})", "CAST(moments.sum AS DOUBLE) / nullif(size(whole), 0)"),
        s"sketch_min({s}) <=> CAST(${low("whole")} AS DOUBLE)",
        s"sketch_max({s}) <=> CAST(${high("whole")} AS DOUBLE)"
      ),
      Seq(
        near("sketch_variance({s})", "moments.var_samp"),
        near("sketch_variance({s}, true)", "moments.var_pop"),
        near("sketch_stddev({s})", "moments.stddev_samp"),
        near("sketch_stddev({s}, population => true)", "moments.stddev_pop"),
        near("sketch_skewness({s})", "moments.skewness"),
        near("sketch_kurtosis({s})", "moments.kurtosis")
      ),
      isByColumn = true,
      isOfNumbers = true,
      isRounded = true
    ),
    Aggregate(
      "moments_agg(v, id % 3)",
      Seq("sketch_count({s}) = copies"),
      isOfNumbers = true,
      isRounded = true
    ),
    Aggregate(
      "comoments_agg(v, id)",
      Seq("sketch_count({s}) = size(whole)"),
      Seq(
        near("sketch_covar({s})", "moments.covar_samp"),
        near("sketch_corr({s})", "moments.corr"),
        near("sketch_slope({s})", "moments.regr_slope")
      ),
      isOfNumbers = true,
      isRounded = true
    ),
    Aggregate(
      "window_moments_agg(v, t)",
      ofTypes ++ Seq(
        "sketch_count(sketch_window({s}, {span})) = size(recent)",
        "sketch_count(sketch_window({s}, {span}, {asOf})) = size(asked)"
      ),
      isByColumn = true,
      isOfNumbers = true,
      isRounded = true
    )
  )

  /** Spark's functions of numbers: the name of each field and its SQL. */
  private val moments =
    Seq("sum", "var_samp", "var_pop", "stddev_samp", "stddev_pop", "skewness", "kurtosis")
      .map(f => f -> s"$f(v)") ++ Seq("covar_samp", "corr", "regr_slope").map(f => f -> s"$f(v, id)")

  private def aggregatesOf(types: Types): Seq[Aggregate] =
    aggregates.filter(types.isNumber || !_.isOfNumbers).map { a =>
      val conditions = a.conditions ++ (if (types.isPrecise) a.precise else Nil)
      a.copy(call = types.in(a.call), conditions = conditions.map(types.in))
    }

  private lazy val folder = Files.createTempDirectory("types").toString

  /** Writes a hundred rows as Parquet: groups of very different sizes, one of them with NULL values only. */
  private def write(types: Types, name: String): Unit = {
    val time = s"CAST(${types.time} AS ${types.timeType})"
    spark.range(1, 101, 1, 2).selectExpr(
      "id",
      "CASE WHEN id IN (5, 9) THEN 0 WHEN id = 50 THEN 1 WHEN id IN (46, 96) THEN 2 ELSE id % 2 + 3 END AS k",
      s"CAST(${types.value} AS ${types.valueType}) AS no_nulls",
      s"IF(id % 4 = 1, NULL, CAST(${types.value} AS ${types.valueType})) AS v",
      s"IF(id % 7 = 3, NULL, $time) AS t",
      s"IF(id = 100, NULL, ${time.replaceAll("\\bid\\b", "(id + 1)")}) AS next_t"
    ).write.parquet(s"$folder/$name")
    spark.read.parquet(s"$folder/$name").createOrReplaceTempView("typed")
  }

  /** Runs the calls in one query, of all rows or of each group. */
  private def build(calls: Seq[String], isGrouped: Boolean, settings: (String, String)*): Built =
    withConf(settings :+ (OperatorSuite.Fallback -> "false"): _*) {
      val key = if (isGrouped) "k" else "NULL AS k"
      val by = if (isGrouped) " GROUP BY k" else ""
      val query = sql(s"SELECT $key, ${named(calls)} FROM typed$by")
      val results = resultsOf(query.collect().toSeq, calls)
      Built(
        results,
        OperatorSuite.plans.collectWithSubqueries(query.queryExecution.executedPlan) {
          case sketches: SketchAggregation => sketches
          case histories: HistoryAggregateExec => histories
        }
      )
    }

  private def named(calls: Seq[String]): String =
    calls.zipWithIndex.map { case (call, i) => s"$call AS a$i" }.mkString(", ")

  private def resultsOf(rows: Seq[Row], calls: Seq[String]): Map[(String, String), String] =
    (for (row <- rows; (call, i) <- calls.zipWithIndex)
      yield (String.valueOf(row.get(0)), call) -> OperatorSuite.text(row.get(i + 1))).toMap

  private def assertResults(
      found: Map[(String, String), String],
      expected: Map[(String, String), String]
  ): Unit = {
    val different = found.filter { case (where, text) => expected(where) != text }
    assertEquals(different, expected.filter(different contains _._1))
  }

  /** A query of the results, Spark's own answers, and the conditions that compare them. */
  private def checked(aggregates: Seq[Aggregate], isNumber: Boolean): String = {
    val conditions = aggregates.zipWithIndex.flatMap { case (a, i) =>
      a.conditions.map(_.replace("{s}", s"a$i"))
    }
    val fields = moments.map { case (name, call) => s"'$name', $call" }.mkString("named_struct(", ", ", ")")
    s"""SELECT k, ${aggregates.indices.map(i => s"a$i").mkString(", ")}, ${conditions.mkString(", ")} FROM (
       |  SELECT k, ${named(aggregates.map(_.call))},
       |    ${truths.map { case (name, value) => s"sort_array(collect_list($value)) AS $name" }.mkString(
        ", "
      )},
       |    min(no_nulls) AS no_nulls_low, max(no_nulls) AS no_nulls_high,
       |    min(IF(timed_v IS NULL, NULL, t)) AS first_t, max(IF(timed_v IS NULL, NULL, t)) AS last_t,
       |    sum(IF(v IS NULL, 0, id % 3)) AS copies${if (isNumber) s", $fields AS moments" else ""}
       |  FROM (SELECT *, max(IF(timed_v IS NULL, NULL, id)) OVER (PARTITION BY k) AS newest
       |    FROM (SELECT *, IF(t IS NULL, NULL, v) AS timed_v FROM typed))
       |  GROUP BY k)""".stripMargin
  }

  // each type of values with a type of times; or all of them together
  private val cases: Seq[Types] =
    Cases.inTurns(TypedRows.values, TypedRows.times).map {
      case ((valueType, value), (timeType, time, asOf, span)) =>
        Types(valueType, value, timeType, time, asOf, span)
    }

  test("every type has a turn") {
    assertEquals(cases.map(t => t.valueType -> t.value).toSet, TypedRows.values.toSet)
    assertEquals(cases.map(_.time).toSet, TypedRows.times.map(_._2).toSet)
  }

  for ((types, i) <- cases.zipWithIndex)
    test(s"values of type ${types.valueType}, times of type ${types.timeType}, case $i") {
      withConf(TypedRows.TimeType) {
        write(types, s"case$i")
        val aggregates = aggregatesOf(types)
        val expected =
          build(
            aggregates.map(types.compared),
            isGrouped = true,
            OperatorSuite.notCompiled :+ (AggregateConf.Enabled -> "false"): _*
          )
        assert(!expected.isOurs)
        assertEquals(expected.results.keySet.map(_._1), Set("0", "1", "2", "3", "4"))

        val rowsOnly = AggregateConf.Columns -> "false"
        for {
          compiled <- Nil +: Option.when(Cases.isTurn(i, 3))(OperatorSuite.notCompiled).toSeq
          together <- aggregates.filterNot(_.isSparksOnly).groupBy(_.isHistory).values
        } {
          val ours = build(together.map(types.compared), isGrouped = true, rowsOnly +: compiled: _*)
          assert(ours.isOurs && !ours.isByColumns)
          assertResults(ours.results, expected.results)
        }

        val columnCalls = aggregates.filter(_.isByColumn).map(types.compared)
        val byColumns = build(columnCalls, isGrouped = true)
        assert(byColumns.isByColumns)
        assertResults(byColumns.results, expected.results)
        if (Cases.isTurn(i, 3)) {
          val ungrouped = build(columnCalls, isGrouped = false)
          assert(ungrouped.isByColumns)
          assertResults(ungrouped.results, build(columnCalls, isGrouped = false, rowsOnly).results)
        }

        val compared = withConf(OperatorSuite.notCompiled: _*)(rows(checked(aggregates, types.isNumber)))
        val calls = aggregates.map(_.call)
        assertResults(
          resultsOf(compared, calls).filter { case ((_, call), _) =>
            aggregates.exists(types.compared(_) == call)
          },
          expected.results
        )
        val conditions = aggregates.flatMap(a => a.conditions.map(a.call -> _))
        val isFalse = for {
          row <- compared
          ((call, condition), j) <- conditions.zipWithIndex
          if row.get(calls.size + 1 + j) != true
        } yield s"$call of ${row.get(0)}: $condition"
        assertEquals(isFalse, Nil)
      }
    }
}
