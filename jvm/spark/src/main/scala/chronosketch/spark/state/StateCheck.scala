package chronosketch.spark.state

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Collections, LinkedHashMap, Map => JavaMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import chronosketch.Version
import chronosketch.spark.sql.{CheckpointFiles, Conditions}

/** A part of an operator that says what the operator keeps in its state. */
trait DescribesState {
  def layout: StateLayout
}

/** Refuses a stream that would read the state in its checkpoint as something else. Spark compares the types of state, and those of our
  * summaries are all BINARY.
  *
  * Guarantee  no row is read, and no state, unless the state was written with a layout that agrees with that of the query. The layout
  *            lies in a file beside the state. A query that has committed no batch writes its own: its checkpoint has no state yet
  * Cost       one small file is read, once a run of the query
  *
  * It is a columnar rule because only these see the plan of a batch after Spark has said where its state is.
  */
object StateCheck extends ColumnarRule {

  /** Beside the folders of an operator's partitions. */
  private[state] val File = "_chronosketch/layout.json"

  /** Spark's operators that keep aggregations in state. The second one is that of real-time mode in Spark 4.3. */
  private val Aggregations = Seq("StateStoreSaveExec", "StatefulStreamlineAggregateExec")

  /** Spark plans with it to show a plan, without a checkpoint. */
  private val NoCheckpoint = "<unknown>"

  /** Runs of queries whose operators were checked: a run keeps its query. */
  private val checked = Collections.synchronizedMap(
    new LinkedHashMap[(Any, Long), Unit](16, 0.75f, true) {
      override def removeEldestEntry(eldest: JavaMap.Entry[(Any, Long), Unit]): Boolean =
        size > MostChecked
    }
  )
  private val MostChecked = 10000

  override def preColumnarTransitions: Rule[SparkPlan] = plan => {
    for (node <- plan; layout <- layoutOf(node); state <- stateOf(node)) check(layout, state)
    plan
  }

  private def layoutOf(node: SparkPlan): Option[StateLayout] =
    node.productIterator.collectFirst { case part: DescribesState => part.layout }.orElse {
      // the classes are in another package on 4.0
      if (!Aggregations.exists(node.getClass.getSimpleName.endsWith)) None
      else
        node.collectFirst { case a: BaseAggregateExec => a.aggregateExpressions }
          .flatMap(StateDescription.ofAggregation)
    }

  /** The state of an operator.
    *
    * @param folder  of the state of all operators of the query
    * @param version how many batches have gone into the state
    */
  private final case class State(folder: String, run: Any, operator: Long, version: Long)

  private def stateOf(node: SparkPlan): Option[State] = {
    val info = node.getClass.getMethod("stateInfo").invoke(node).asInstanceOf[Option[AnyRef]]
    info.map { stateInfo =>
      def value(name: String): Any = stateInfo.getClass.getMethod(name).invoke(stateInfo)
      State(
        value("checkpointLocation").toString,
        value("queryRunId"),
        value("operatorId").asInstanceOf[Long],
        value("storeVersion").asInstanceOf[Long]
      )
    }.filter(_.folder != NoCheckpoint)
  }

  private def check(layout: StateLayout, state: State): Unit = {
    val run = (state.run, state.operator)
    if (!checked.containsKey(run)) {
      val session = SparkSession.active.asInstanceOf[classic.SparkSession]
      compare(layout, state, session.sessionState.newHadoopConf())
      checked.put(run, ())
    }
  }

  private def compare(layout: StateLayout, state: State, conf: Configuration): Unit = {
    val file = new Path(new Path(state.folder, state.operator.toString), File)
    val files = new CheckpointFiles(file, conf)
    val stored = if (files.exists(file)) Some(StateLayout.read(files.read(file))) else None
    def write(): Unit = files.replace(file, layout.text.getBytes(UTF_8))
    def refuse(condition: String, parameters: (String, String)*): Nothing =
      throw Conditions.analysisError(
        condition,
        CurrentOrigin.get,
        ("checkpoint" -> new Path(state.folder).getParent.toString) +: parameters: _*
      )
    def refuseUnknown(why: String): Nothing =
      refuse("CHRONOSKETCH_STREAM_STATE_UNKNOWN", "file" -> file.toString, "because" -> why)
    stored match {
      // nothing was committed: whatever is there is of a query that failed before its first batch was
      case _ if state.version == 0 => if (!stored.contains(StateLayout.Known(layout))) write()
      case None => refuseUnknown(
          "it does not exist: an older version of chronosketch wrote the state, or the file was deleted"
        )
      case Some(StateLayout.Unreadable(why)) => refuseUnknown(why)
      case Some(StateLayout.Newer(format, by)) =>
        refuse(
          "CHRONOSKETCH_STREAM_STATE_NEWER",
          "format" -> format.toString,
          "by" -> by,
          "known" -> StateLayout.Format.toString,
          "version" -> Version.value
        )
      case Some(StateLayout.Known(before)) =>
        val changes = before.changes(layout)
        if (changes.nonEmpty) refuse("CHRONOSKETCH_STREAM_STATE_CHANGED", "changes" -> changes.mkString("; "))
        // a greater epsilon: from now on state may have it
        else if (before.entries != layout.entries) write()
    }
  }
}
