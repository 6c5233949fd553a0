package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table.{Argument, Defaults, Example, SqlFunction}

/** The table function that aggregates hopping windows. */
private[spark] object HoppingRows {
  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      HoppingSketch.Name,
      SqlFunction.Tables,
      "Aggregates the rows of every hopping window, as GROUP BY window(event_time, size, slide) does. Each row is touched once. The result has the columns of by, the STRUCT window with its start and end, and the aggregates. The function is also called hopping_sketch, its older name.",
      Seq(
        Argument(
          "input",
          "the rows: TABLE(name) or TABLE(SELECT ...). It may also be a GROUP BY with its keys and aggregates; the windows are added to it."
        ),
        Argument(
          "event_time",
          "the name of the TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened. Rows with a NULL time are ignored."
        ),
        Argument("size", "the length of a window: an interval or its text, for example '10 minutes'."),
        Argument(
          "slide",
          "the time from the start of one window to the start of the next: an interval or its text. It must not be longer than size."
        ),
        Argument(
          "aggs",
          "the aggregates, an array of texts: array('count(*) AS n'). Leave it out if the input is a GROUP BY.",
          Defaults.noTexts
        ),
        Argument(
          "by",
          "the names of the columns to group by, beside the windows: array('host').",
          Defaults.noTexts
        ),
        Argument(
          "structure",
          "how windows are made. 'panes' puts each row into one pane. 'expiration_list' copies each row into all its windows, as Spark does. 'auto' takes the list for windows of a table that do not overlap, and panes otherwise.",
          Some(Literal(HoppingStructure.Auto.name))
        )
      ),
      Seq(
        Example(
          "SELECT max_by(q, window.start) FROM hopping(TABLE(SELECT timestamp_seconds(id * 60) AS ts, id FROM range(0, 60)), event_time => 'ts', size => '1 hour', slide => '30 minutes', aggs => array('approx_quantile(id, 0.5) AS q'))",
          "44"
        )
      ),
      HoppingSketch.of,
      aliases = Seq(HoppingSketch.OlderName)
    )
  )
}
