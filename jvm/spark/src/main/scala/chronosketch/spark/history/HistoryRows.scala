package chronosketch.spark.history

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.history.HistorySketches
import chronosketch.spark.sketch.Ask
import chronosketch.spark.table.SharedArguments._
import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The functions that answer for any past version of values that come and go. */
private[spark] object HistoryRows {
  private val version = Argument(
    "version",
    "the first version in which the row's value is there: a whole number, DATE, TIMESTAMP or TIMESTAMP_NTZ. Rows may come in any order. Rows with a NULL version are ignored."
  )
  private val change = Argument(
    "change",
    "a whole-number column: how many copies of the value are added at that version. A number below 0 takes copies away. 0 only says that there is such a version. Rows with a NULL change are ignored. Without it each row adds one copy.",
    Defaults.notGiven
  )
  private val epsilon = Argument(
    "epsilon",
    s"the rank error that you allow, as a share of the values that are there at a version, in ${HistorySketches.Epsilon.range}. With 0 the answer is exact, and the bytes grow with the changes.",
    Some(Literal(Defaults.HistoryEpsilon))
  )

  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      HistoryAggregate.SketchName,
      SqlFunction.Aggregates,
      "Builds a sketch that answers for any past version of values that come and go. You choose the version later, with sketch_at_version. The sketch is a BINARY; a group without rows gives an empty history.",
      Seq(
        value,
        version,
        change,
        epsilon,
        Argument(
          "until",
          "the first version in which the row's value is no longer there: a column of the type of version. NULL means that it is still there. A row whose until equals its version is ignored.",
          Defaults.notGiven
        )
      ),
      Seq(
        Example(
          "SELECT sketch_count(sketch_at_version(history_sketch_agg(amount, version, change), 2)) FROM VALUES (10, 1, +1), (20, 2, +1), (10, 3, -1) AS t(amount, version, change)",
          "2"
        ),
        Example(
          "SELECT sketch_quantile(sketch_at_version(history_sketch_agg(amount, opened, until => closed), DATE'2026-01-03'), 1) FROM VALUES (10, DATE'2026-01-01', NULL), (20, DATE'2026-01-02', DATE'2026-01-03'), (5, DATE'2026-01-04', NULL) AS t(amount, opened, closed)",
          "10.0"
        )
      ),
      HistoryAggregate.sketch
    ),
    SqlFunction(
      SketchAtVersion.Name,
      SqlFunction.Scalars,
      "Returns one version of a history, as a sketch. You can ask it every question that a sketch of quantile_sketch_agg answers. The answer is a BINARY, or NULL for an empty history.",
      Seq(
        sketch.copy(meaning = "a BINARY sketch of history_sketch_agg. NULL gives NULL."),
        Argument(
          "version",
          "the version: a constant or a column of the type of the history's versions. A version between two versions of the history equals the earlier of the two. A version before the first or after the last is an error."
        )
      ),
      Seq(
        Example(
          "SELECT sketch_quantile(sketch_at_version(s, 50), 0.5) FROM (SELECT history_sketch_agg(id, id) AS s FROM range(1, 101))",
          "25.0"
        ),
        Example(
          "SELECT sum(sketch_count(sketch_at_version(s, day))) FROM (SELECT history_sketch_agg(id, id) AS s FROM range(1, 101)), VALUES (10), (20), (30) AS days(day)",
          "60"
        )
      ),
      Ask.of(SketchAtVersion(asSummary = false), _)
    ),
    SqlFunction(
      SketchVersions.name,
      SqlFunction.Scalars,
      "Returns the first and the last version of a history, and the number of trees that it consists of. The answer is a STRUCT<first, last, trees>. For an empty history first and last are NULL.",
      Seq(
        sketch.copy(meaning = "a BINARY sketch of history_sketch_agg. NULL gives NULL."),
        Argument(
          "type",
          "the name of the SQL type of first and last: 'date' or 'timestamp' if the versions are dates or timestamps.",
          Some(Literal(Defaults.VersionType))
        )
      ),
      Seq(
        Example(
          "SELECT sketch_versions(history_sketch_agg(id, id)).last FROM range(1, 101)",
          "100"
        ),
        Example(
          "SELECT sketch_versions(history_sketch_agg(v, d), 'date').first FROM VALUES (1, DATE'2026-01-31') AS t(v, d)",
          "2026-01-31"
        )
      ),
      Ask.of(SketchVersions, _)
    ),
    SqlFunction(
      HistoryAggregate.QuantileName,
      SqlFunction.Aggregates,
      "Returns the phi-quantile of the values that were there at a version. The answer has the type of the values. It is NULL if no value was there.",
      Seq(
        value,
        version,
        change.copy(
          meaning =
            "a whole-number column: how many copies of the value are added at that version. A number below 0 takes copies away. The literal NULL adds one copy for each row.",
          default = None
        ),
        phi,
        Argument(
          "at_version",
          "the version that you ask for: a constant of the type of version. Rows of later versions do not count."
        ),
        epsilon
      ),
      Seq(
        Example(
          "SELECT approx_quantile_at_version(amount, version, change, 1, 2) FROM VALUES (10, 1, +1), (20, 2, +1), (20, 3, -1) AS t(amount, version, change)",
          "20"
        ),
        Example(
          "SELECT approx_quantile_at_version(amount, version, change, array(0, 1), at_version => 3) FROM VALUES (10, 1, +1), (20, 2, +1), (20, 3, -1) AS t(amount, version, change)",
          "[10,10]"
        )
      ),
      HistoryAggregate.quantile
    )
  )
}
