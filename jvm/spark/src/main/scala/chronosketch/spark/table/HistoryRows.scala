package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import chronosketch.history.HistorySketches
import chronosketch.spark.history._
import chronosketch.spark.sketch.Ask
import chronosketch.spark.table.SharedArguments._

/** The functions that answer for any past version of values that come and go. */
private[spark] object HistoryRows {
  private val version = Argument(
    "version",
    "from when on the row holds: a whole number, DATE, TIMESTAMP or TIMESTAMP_NTZ. Rows come in any order. Those with a NULL version are ignored."
  )
  private val change = Argument(
    "change",
    "a whole-number column: how many copies of the value there are more from then on, or fewer where it is below 0. Rows with a NULL change are ignored; 0 only says that there is such a version. Without it each row is one copy more.",
    Defaults.notGiven
  )
  private val epsilon = Argument(
    "epsilon",
    s"the rank error allowed, as a share of the values that are there at a version, in ${HistorySketches.Epsilon.range}. 0 is exact, in bytes that grow with the changes.",
    Some(Literal(Defaults.HistoryEpsilon))
  )

  val all: Seq[SqlFunction[Expression]] = Seq(
    SqlFunction(
      HistorySketchAggregate.Name,
      SqlFunction.Aggregates,
      "Builds a sketch from which sketch_at_version takes the values of any past version, later.",
      Seq(
        value,
        version,
        change,
        epsilon,
        Argument(
          "until",
          "from when on the row no longer holds: a column of version's type. NULL means that it still holds. A row that ends where it begins never held, and is ignored.",
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
      HistorySketchAggregate.of
    ),
    SqlFunction(
      SketchAtVersion.Name,
      SqlFunction.Scalars,
      "Returns the sketch of one version of a history. Any question about a sketch may be asked of it.",
      Seq(
        sketch.copy(meaning = "a sketch, as history_sketch_agg builds it."),
        Argument(
          "version",
          "a value or a column of the type of the history's versions. A version between two that came is as the one before; one before the first or after the last is an error."
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
      "Returns the first and the last version of a history, and the number of trees that it consists of.",
      Seq(
        sketch.copy(meaning = "a sketch, as history_sketch_agg builds it."),
        Argument(
          "type",
          "the name of the type of first and last: 'date' or 'timestamp' where the versions are such.",
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
      VersionQuantileAggregate.Name,
      SqlFunction.Aggregates,
      "Returns the phi-quantile of the values that were there at a version.",
      Seq(
        value,
        version,
        change.copy(
          meaning =
            "a whole-number column: how many copies of the value there are more from then on, or fewer where it is below 0. NULL stands for one copy more a row.",
          default = None
        ),
        phi,
        Argument(
          "at_version",
          "a constant of version's type. Rows of later versions do not count."
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
      VersionQuantileAggregate.of
    )
  )
}
