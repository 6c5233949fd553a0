package chronosketch.spark.aggregate.cube

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, PartialMerge}
import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{DataType, LongType}

import chronosketch.spark.aggregate.SketchColumn
import chronosketch.spark.aggregate.operator.{AggregateSpec, SketchAggregateExec}
import chronosketch.spark.explain.ExplainedExec

/** Merges the groups of grouping sets from the finest groups, in each task. The groups of all tasks are merged by the operator above.
  *
  * Guarantee  the partial results of the same rows, summarised in another order
  * Cost       that of [[MergeOrder]]: about as many merges of sketches as there are finest groups, for each key
  * Memory     that of an aggregation for each key. If Spark refuses it, groups are output before they are complete
  *
  * @param keys      the keys of the finest groups, which are the first columns of the child
  * @param masks     the keys of each grouping set, as bits
  * @param sets      the values of the output's first columns, for each grouping set
  * @param columns   the output's first columns
  * @param sketches  the columns that merge the sketches of the child
  * @param functions Spark's own functions, which merge the buffers of the child
  * @param parts     the sketches and buffers of the output
  */
final case class SketchGroupingSetsExec(
    keys: Seq[Attribute],
    masks: Seq[Long],
    sets: Seq[Seq[Expression]],
    columns: Seq[Attribute],
    sketches: Seq[SketchColumn],
    functions: Seq[AggregateExpression],
    parts: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode
    with ExplainedExec {

  override def nodeName: String = "SketchGroupingSets"
  override def output: Seq[Attribute] = columns ++ parts
  override def producedAttributes: AttributeSet =
    AttributeSet(columns ++ parts ++ functions.flatMap(_.references))

  override lazy val metrics = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "mergedGroups" -> SQLMetrics.createMetric(sparkContext, "number of merged groups"),
    "peakMemory" -> SQLMetrics.createSizeMetric(sparkContext, "peak memory", -1),
    "sketchBytes" -> SQLMetrics.createSizeMetric(sparkContext, "bytes of sketches", -1),
    "partialFlushes" -> SQLMetrics.createMetric(sparkContext, "number of partial flushes")
  )

  protected def doExecute(): RDD[InternalRow] = {
    val task = spec
    child.execute().mapPartitionsWithIndex((partition, rows) =>
      new GroupingSetsIterator(task, partition, rows)
    )
  }

  private def spec: GroupingSetsSpec = {
    val steps = MergeOrder.of(keys.length, masks)
    val set = AttributeReference("set", LongType, nullable = false)()
    val row = set +: (nullableKeys ++ child.output.drop(keys.length))
    GroupingSetsSpec(
      (1L << keys.length) - 1,
      steps,
      steps.map(step => stepSpec(set, step.keys, row)),
      masks.zip(sets.map(valuesOf)).groupMap(_._1)(_._2),
      BindReferences.bindReferences(output, columns ++ row.dropRight(parts.length) ++ parts),
      metrics("numOutputRows")
    )
  }

  private def valuesOf(set: Seq[Expression]): SetValues = {
    val places = set.map(value => keys.indexWhere(_.semanticEquals(value)))
    SetValues(
      places.map(key => if (key < 0) key else key + 1).toArray,
      set.zip(places).map { case (value, key) => if (key < 0) value.eval() else null }.toArray,
      set.map(_.dataType).toArray
    )
  }

  /** The keys as steps see them: a key that was taken away is NULL, also if it has no NULL in the finest groups. */
  private def nullableKeys: Seq[Attribute] = keys.map(_.withNullability(true))

  /** The aggregation of a step: it makes the keys NULL that the step takes away. Its rows have the same columns before and after. A group
    * may be merged from thousands of others of the same task, so it keeps none of them. They come in an order that their keys decide.
    */
  private def stepSpec(set: Attribute, taken: Long, row: Seq[Attribute]): AggregateSpec = {
    val fewerKeys = nullableKeys.zipWithIndex.map { case (k, i) =>
      if ((taken & (1L << i)) != 0) Alias(Literal.create(null, k.dataType), k.name)() else k
    }
    val fewer = Alias(BitwiseAnd(set, Literal(~taken)), set.name)()
    SketchAggregateExec(
      fewer +: fewerKeys,
      sketches,
      Nil,
      functions,
      parts,
      PartialMerge,
      RowsOfStep(row)
    ).specWith(metrics + ("numInputRows" -> metrics("mergedGroups")) + ("numOutputRows" -> unseen))
      .copy(keepsParts = false)
  }

  /** Counts the groups of a step, which are not the groups of the output. */
  private def unseen: SQLMetric = SQLMetrics.createMetric(sparkContext, "number of groups of a step")

  private def names(mask: Long): String =
    keys.indices.filter(i => (mask & (1L << i)) != 0).map(keys(_).name).mkString("(", ", ", ")")

  /** Not all sets if there are many: a CUBE of 10 keys has 1 024. */
  private def fewSets: String =
    truncatedString(masks.map(names), "[", ", ", "]", conf.maxToStringFields)

  protected def inTree: String =
    s"(keys=${list(keys)}, sets=$fewSets, sketches=${list(sketches)})"

  protected def lines: Seq[String] = Seq(
    line("Input", child.output),
    line("Keys", keys),
    s"Sets [${masks.length}]: $fewSets",
    line("Functions", functions),
    line("Sketches", sketches),
    line("Output", output)
  )

  override protected def withNewChildInternal(newChild: SparkPlan): SketchGroupingSetsExec =
    copy(child = newChild)
}

/** Stands for the rows that a step reads, to describe its aggregation. It is never run. */
private final case class RowsOfStep(output: Seq[Attribute]) extends LeafExecNode {
  protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException(nodeName)
}

/** Everything that a task needs to know about grouping sets.
  *
  * @param allKeys the bits of all keys
  * @param specs   the aggregation of each step
  * @param values  for each set of keys, the first columns of the output rows of a group: of one, or of several if the set occurs
  *                several times
  * @param output  the output row, bound to these columns, then the group
  */
private[cube] final case class GroupingSetsSpec(
    allKeys: Long,
    steps: Seq[MergeOrder.Step],
    specs: Seq[AggregateSpec],
    values: Map[Long, Seq[SetValues]],
    output: Seq[Expression],
    outputRows: SQLMetric
)

/** The first columns of the output rows of a grouping set: each is a column of the group, or a constant such as the number of the set.
  *
  * @param places the column of the group, or -1
  */
private[cube] final case class SetValues(places: Array[Int], constants: Array[Any], types: Array[DataType]) {
  def of(group: InternalRow): Array[Any] = Array.tabulate(places.length) { i =>
    val place = places(i)
    if (place < 0) constants(i) else if (group.isNullAt(place)) null else group.get(place, types(i))
  }
}
