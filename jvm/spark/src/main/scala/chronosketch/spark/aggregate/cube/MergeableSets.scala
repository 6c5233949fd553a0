package chronosketch.spark.aggregate.cube

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeMap,
  AttributeSet,
  Expression,
  Literal,
  NamedExpression,
  VirtualColumn
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  Average,
  BitAggregate,
  CentralMomentAgg,
  Count,
  Covariance,
  Max,
  Min,
  PearsonCorrelation,
  Sum
}
import org.apache.spark.sql.catalyst.plans.logical.Expand

import chronosketch.spark.aggregate.SketchFunction

/** The grouping sets of an aggregation whose groups can be merged from the finest ones.
  *
  * @param keys      the keys of the finest set, over the rows
  * @param columns   the grouping columns of the aggregation; one has the number of the set
  * @param values    for each set the values of the columns: a key, or a constant
  * @param functions the aggregates, over the rows
  */
private[cube] final case class MergeableSets(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    values: Seq[Seq[Expression]],
    functions: Seq[AggregateExpression]
) {

  /** The keys that each set has, as bits. */
  val masks: Seq[Long] = values.map { set =>
    keys.indices.filter(i => set.exists(_.semanticEquals(keys(i)))).map(1L << _).sum
  }

  def hasFinest: Boolean = masks.contains((1L << keys.size) - 1)
}

private[cube] object MergeableSets {

  /** The keys of a set are bits of a LONG that is not negative. */
  private val MostKeys = 62

  /** Whether a grouping column has the number of the grouping set, which only grouping sets have. */
  def hasNumber(grouping: Seq[NamedExpression]): Boolean =
    grouping.exists(_.name == VirtualColumn.groupingIdName)

  /** Reads grouping sets from Spark's plan. It copies each row once for each set, and makes the keys NULL that the set does not have.
    *
    * @return None if the copies are made for something else, such as windows; a reason if the sets have to be left to Spark
    */
  def of(
      grouping: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      copies: Expand
  ): Option[Either[String, MergeableSets]] = {
    val columns = grouping.collect { case a: Attribute => a }
    val places = columns.map(placeOf(copies, _))
    val areSets = hasNumber(grouping) && columns.size == grouping.size && copies.projections.size > 1
    val values = if (places.contains(-1)) Nil else copies.projections.map(copy => places.map(copy(_)))
    val keysOf = values.transpose.map(column => distinct(column.filterNot(_.isInstanceOf[Literal])))
    val keys = distinct(keysOf.flatten)
    if (!areSets || keys.isEmpty || keysOf.exists(_.size > 1)) None
    else if (keys.size > MostKeys) Some(Left(s"more than $MostKeys keys"))
    else
      Some(overRows(functions, copies).map(MergeableSets(keys, columns, values, _))
        .filterOrElse(_.hasFinest, "no grouping set has all keys"))
  }

  /** Whether a function answers the same, but for the rounding of a sum, in whatever order groups are merged. Others, such as first and
    * max_by, choose one of the rows.
    */
  private def merges(f: AggregateExpression): Boolean = f.aggregateFunction match {
    case _: SketchFunction | _: Count | _: Sum | _: Average | _: Min | _: Max | _: BitAggregate => true
    case _: CentralMomentAgg | _: Covariance | _: PearsonCorrelation => true
    case _ => false
  }

  /** The functions as they read a row instead of its copies. */
  private def overRows(
      functions: Seq[AggregateExpression],
      copies: Expand
  ): Either[String, Seq[AggregateExpression]] = {
    val read = AttributeSet(functions.flatMap(_.references)).toSeq
    val values = read.map { a =>
      val place = placeOf(copies, a)
      a -> (if (place < 0) Nil else distinct(copies.projections.map(_(place))))
    }
    (functions.find(!merges(_)), values.find(_._2.size != 1)) match {
      case (Some(f), _) => Left(s"${f.aggregateFunction.prettyName} can depend on the order of rows")
      case (_, Some((a, _))) => Left(s"an aggregate reads ${a.name}, which depends on the grouping set")
      case _ =>
        val valueOf = AttributeMap(values.collect { case (a, Seq(e)) if !e.semanticEquals(a) => a -> e })
        Right(functions.map(_.transform { case a: Attribute => valueOf.getOrElse(a, a) }
          .asInstanceOf[AggregateExpression]))
    }
  }

  private def placeOf(copies: Expand, a: Attribute): Int = copies.output.indexWhere(_.exprId == a.exprId)

  private def distinct(expressions: Seq[Expression]): Seq[Expression] =
    expressions.foldLeft(Seq.empty[Expression]) { (found, e) =>
      if (found.exists(_.semanticEquals(e))) found else found :+ e
    }
}
