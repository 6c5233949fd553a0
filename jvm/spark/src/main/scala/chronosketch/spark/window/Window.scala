package chronosketch.spark.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{And, Expression, Not, Or}
import org.apache.spark.sql.types.BooleanType

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Span}
import chronosketch.window.Constraint

/** How a window is put together of parts: spans, numbers of rows, names, and conditions on rows.
  *
  * The parts are arguments of the function that has the window, where Spark sees them as what they are; this is what they
  * are to each other.
  */
sealed abstract class Window extends Serializable {

  /** As a constraint, of which each leaf is made from its part. */
  def constraint(of: Window.Leaf => Constraint): Constraint = this match {
    case leaf: Window.Leaf => of(leaf)
    case Window.Both(left, right) => Constraint.And(left.constraint(of), right.constraint(of))
    case Window.OneOf(left, right) => Constraint.Or(left.constraint(of), right.constraint(of))
    case Window.Except(inner) => Constraint.Not(inner.constraint(of))
  }

  def leaves: Seq[Window.Leaf] = this match {
    case leaf: Window.Leaf => Seq(leaf)
    case Window.Both(left, right) => left.leaves ++ right.leaves
    case Window.OneOf(left, right) => left.leaves ++ right.leaves
    case Window.Except(of) => of.leaves
  }

  /** As SQL, of the parts' own. */
  def sql(parts: Seq[String]): String = this match {
    case Window.Within(part) => s"${WithinLast.Name}(${parts(part)})"
    case Window.Among(part) => s"${AmongLast.Name}(${parts(part)})"
    case Window.Named(part) => s"${Passing.Name}(${parts(part)})"
    case Window.Plain(part) => parts(part)
    case Window.Both(left, right) => s"(${left.sql(parts)} AND ${right.sql(parts)})"
    case Window.OneOf(left, right) => s"(${left.sql(parts)} OR ${right.sql(parts)})"
    case Window.Except(of) => s"(NOT ${of.sql(parts)})"
  }
}

object Window {
  sealed abstract class Leaf extends Window {
    def part: Int
  }

  /** Within the last span of time. */
  final case class Within(part: Int) extends Leaf

  /** Among the last rows. */
  final case class Among(part: Int) extends Leaf

  /** Passing a filter of a name. */
  final case class Named(part: Int) extends Leaf

  /** A condition on rows; alone and no condition, the span that a window is. */
  final case class Plain(part: Int) extends Leaf

  final case class Both(left: Window, right: Window) extends Window
  final case class OneOf(left: Window, right: Window) extends Window
  final case class Except(of: Window) extends Window

  /** Takes a window apart. What has no window in it stays one condition, whatever it is made of. */
  def of(window: Expression): (Window, Seq[Expression]) = {
    val parts = mutable.ArrayBuffer.empty[Expression]
    def part(e: Expression): Int = {
      parts += e
      parts.size - 1
    }
    def apart(e: Expression): Window = e match {
      case WithinLast(span) => Within(part(span))
      case AmongLast(rows) => Among(part(rows))
      case Passing(filter) => Named(part(filter))
      case _: And if hasMark(e) => together(conjuncts(e), And(_, _), Both(_, _))
      case _: Or if hasMark(e) => together(disjuncts(e), Or(_, _), OneOf(_, _))
      case Not(inner) if hasMark(e) => Except(apart(inner))
      case condition => Plain(part(condition))
    }
    // conditions that are met together are one: a sketch knows few
    def together(
        all: Seq[Expression],
        joined: (Expression, Expression) => Expression,
        both: (Window, Window) => Window
    ): Window = {
      val (windows, conditions) = all.partition(hasMark)
      (windows ++ conditions.reduceOption(joined)).map(apart).reduce(both)
    }
    val shape = apart(window)
    (shape, parts.toSeq)
  }

  private def conjuncts(e: Expression): Seq[Expression] = e match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  private def disjuncts(e: Expression): Seq[Expression] = e match {
    case Or(left, right) => disjuncts(left) ++ disjuncts(right)
    case other => Seq(other)
  }

  private def hasMark(e: Expression): Boolean = e.exists(_.isInstanceOf[WindowMark])

  def within(function: String, span: Expression, times: Domain): Constraint =
    Constraint.WithinLast(Span.of(function, "window", span).in(times))

  def among(rows: Expression): Constraint =
    Constraint.AmongLast(Arguments.constant(rows).asInstanceOf[Number].longValue)

  def isCondition(e: Expression): Boolean = e.dataType == BooleanType
}
