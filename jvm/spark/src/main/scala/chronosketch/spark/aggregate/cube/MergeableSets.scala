package chronosketch.spark.aggregate.cube

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeMap,
  AttributeSet,
  Expression,
  NamedExpression,
  VirtualColumn
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.Expand

/** The grouping sets of an aggregation whose groups can be merged from the finest ones.
  *
  * @param keys      the keys of the finest set, over the rows
  * @param columns   the grouping columns of the aggregation; one has the number of the set
  * @param sets      for each set the values of the columns: a key, or a constant
  * @param functions the aggregates, over the rows
  */
private[cube] final case class MergeableSets(
    keys: Seq[Expression],
    columns: Seq[Attribute],
    sets: Seq[Seq[Expression]],
    functions: Seq[AggregateExpression]
) {

  /** The keys that a set has, as bits. */
  val masks: Seq[Long] = sets.map { set =>
    keys.indices.filter(i => set.exists(_.semanticEquals(keys(i)))).map(1L << _).sum
  }
}

private[cube] object MergeableSets {

  /** A set of keys has to fit the bits of a LONG. */
  private val MostKeys = 62

  /** Reads grouping sets from the copies of rows into which Spark's analysis turns them: each set has a copy, in which the keys that it
    * does not have are NULL.
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
    val hasNumber = columns.exists(_.name == VirtualColumn.groupingIdName)
    if (!hasNumber || columns.size < grouping.size || copies.projections.size < 2 || places.contains(-1)) None
    else {
      val sets = copies.projections.map(copy => places.map(copy(_)))
      val perColumn = sets.transpose.map(values => distinct(values.filterNot(_.foldable)))
      val keys = distinct(perColumn.flatten)
      if (keys.isEmpty || keys.size > MostKeys || perColumn.exists(_.size > 1)) None
      else
        Some(overRows(functions, copies).map(MergeableSets(keys, columns, sets, _)).filterOrElse(
          found => found.masks.contains((1L << keys.size) - 1),
          "no grouping set has all keys"
        ))
    }
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
    values.find(_._2.size != 1) match {
      case Some((a, _)) => Left(s"an aggregate reads ${a.name}, which depends on the grouping set")
      case None =>
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
