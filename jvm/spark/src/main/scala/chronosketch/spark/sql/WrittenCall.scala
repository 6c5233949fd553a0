package chronosketch.spark.sql

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PrettyAttribute}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.Decimal

/** The arguments of a call, which give the column of its result a short name: `sketch_quantile(s, 0.5)`, without the defaults.
  *
  * Only names are short. The SQL of an expression keeps all arguments, because it is stored, and defaults may change.
  *
  * @param arguments  all arguments in order: the name, the value, and the default if there is one
  * @param descending what WITHIN GROUP orders by in descending order; such a call can't be written in another way
  */
private[spark] final class WrittenCall(
    function: String,
    arguments: Seq[(String, Expression, Option[Literal])],
    descending: Option[Expression] = None
) {

  /** The call without arguments that have their default. Arguments that follow such a gap are written with their names. */
  private def text(distinct: String): String = {
    val (texts, _) = arguments.foldLeft((Vector.empty[String], false)) {
      case ((shown, isNamed), (name, value, default)) =>
        if (default.exists(WrittenCall.isEqual(value, _))) (shown, true)
        else {
          val sql = SparkVersion.prettySql(value)
          (shown :+ (if (isNamed) s"$name => $sql" else sql), isNamed)
        }
    }
    val order = descending.fold("")(e => s" WITHIN GROUP (ORDER BY ${SparkVersion.prettySql(e)} DESC)")
    texts.mkString(s"$function($distinct", ", ", s")$order")
  }

  private def withinGroup(value: Expression, isDescending: Boolean): WrittenCall =
    if (isDescending) new WrittenCall(function, arguments.tail, Some(value))
    else new WrittenCall(function, (arguments.head._1, value, None) +: arguments.tail)
}

private[spark] object WrittenCall {
  private val tag: TreeNodeTag[WrittenCall] = TreeNodeTag("chronosketch.call")

  /** Remembers the arguments of a call. Copies of the expression with other children keep them. */
  def remember(built: Any, call: WrittenCall): Unit = built match {
    case e: Expression => e.setTagValue(tag, call)
    case _ =>
  }

  /** Remembers the arguments of a call for its copy that has the value of WITHIN GROUP. */
  def rememberOrdered[E <: Expression](from: E, to: E, value: Expression, isDescending: Boolean): E = {
    from.getTagValue(tag).foreach(call => to.setTagValue(tag, call.withinGroup(value, isDescending)))
    to
  }

  /** The call without its defaults. */
  def shortText(e: Expression): Option[String] = e.getTagValue(tag).map(_.text(""))

  /** The name of the column of a call, if Spark is making one: it has then replaced columns and literals by their texts. */
  def columnName(e: Expression, isDistinct: Boolean = false): Option[String] =
    e.getTagValue(tag).filter(_ => e.exists(_.isInstanceOf[PrettyAttribute]))
      .map(_.text(if (isDistinct) "DISTINCT " else ""))

  private def isEqual(value: Expression, default: Literal): Boolean = (value, default) match {
    case (Literal(number: Decimal, _), Literal(other: Double, _)) =>
      number.toJavaBigDecimal.compareTo(java.math.BigDecimal.valueOf(other)) == 0
    case (Literal(one, _), Literal(other, _)) => one == other
    case _ => false
  }
}
