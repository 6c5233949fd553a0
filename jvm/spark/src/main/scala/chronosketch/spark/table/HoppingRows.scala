package chronosketch.spark.table

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.hopping.{HoppingSketch, HoppingStructure}

/** The functions that stand where a table does. */
private[spark] object HoppingRows {
  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      HoppingSketch.Name,
      SqlFunction.Tables,
      "Aggregates the rows of every hopping window, as GROUP BY window(event_time, size, slide) does. Each row is touched once.",
      Seq(
        Argument(
          "input",
          "the rows: TABLE(name) or TABLE(SELECT ...). It may also be a GROUP BY without the windows, with its keys and aggregates."
        ),
        Argument(
          "event_time",
          "the name of the TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened. Rows with a NULL time are ignored."
        ),
        Argument("size", "how long a window is: an interval or its text, '10 minutes'."),
        Argument("slide", "from the start of one window to the start of the next: an interval or its text."),
        Argument(
          "aggs",
          "an array of the aggregates as text, array('count(*) AS n'). None where the input is a GROUP BY.",
          Defaults.noTexts
        ),
        Argument(
          "by",
          "an array of the names of the columns to group by, beside the windows.",
          Defaults.noTexts
        ),
        Argument(
          "structure",
          "how windows are made: 'panes' (each row goes into one pane, and windows are merged from panes), 'expiration_list' (each row goes into all its windows, as with Spark's GROUP BY window(...)), or 'auto', which takes the list for windows of a table that do not overlap, panes otherwise.",
          Some(Literal(HoppingStructure.Auto.name))
        )
      ),
      Seq(
        Example(
          "SELECT max_by(q, window.start) FROM hopping_sketch(TABLE(SELECT timestamp_seconds(id * 60) AS ts, id FROM range(0, 60)), event_time => 'ts', size => '1 hour', slide => '30 minutes', aggs => array('approx_quantile(id, 0.5) AS q'))",
          "44"
        )
      ),
      HoppingSketch.of
    )
  )
}
