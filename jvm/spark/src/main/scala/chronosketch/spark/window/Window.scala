package chronosketch.spark.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{And, Expression, Not, Or}
import org.apache.spark.sql.types.BooleanType

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Span}
import chronosketch.window.Constraint

/** The structure of a window: a Boolean combination of spans, numbers of rows, filter names and conditions on rows.
  *
  * The parts themselves are arguments of the function, so that Spark sees and rewrites them as expressions. The leaves of this tree
  * refer to them by index.
  */
sealed abstract class Window extends Serializable {

  /** Converts the window to a constraint. The function converts each leaf. */
  def constraint(convert: Window.Leaf => Constraint): Constraint = this match {
    case leaf: Window.Leaf => convert(leaf)
    case Window.Both(left, right) => Constraint.And(left.constraint(convert), right.constraint(convert))
    case Window.OneOf(left, right) => Constraint.Or(left.constraint(convert), right.constraint(convert))
    case Window.Except(inner) => Constraint.Not(inner.constraint(convert))
  }

  /** The same window with other leaves. */
  def replaceLeaves(replace: Window.Leaf => Window.Leaf): Window = this match {
    case leaf: Window.Leaf => replace(leaf)
    case Window.Both(left, right) => Window.Both(left.replaceLeaves(replace), right.replaceLeaves(replace))
    case Window.OneOf(left, right) => Window.OneOf(left.replaceLeaves(replace), right.replaceLeaves(replace))
    case Window.Except(inner) => Window.Except(inner.replaceLeaves(replace))
  }

  def leaves: Seq[Window.Leaf] = this match {
    case leaf: Window.Leaf => Seq(leaf)
    case Window.Both(left, right) => left.leaves ++ right.leaves
    case Window.OneOf(left, right) => left.leaves ++ right.leaves
    case Window.Except(inner) => inner.leaves
  }

  /** The SQL of the window, given the SQL of its parts. */
  def sql(parts: Seq[String]): String = this match {
    case Window.Within(part) => s"${WithinLast.Name}(${parts(part)})"
    case Window.Among(part) => s"${AmongLast.Name}(${parts(part)})"
    case Window.Named(part) => s"${Passing.Name}(${parts(part)})"
    case Window.Plain(part) => parts(part)
    case Window.Both(left, right) => s"(${left.sql(parts)} AND ${right.sql(parts)})"
    case Window.OneOf(left, right) => s"(${left.sql(parts)} OR ${right.sql(parts)})"
    case Window.Except(inner) => s"(NOT ${inner.sql(parts)})"
  }
}

object Window {
  sealed abstract class Leaf extends Window {
    def part: Int
  }

  /** Rows of the last span of time. */
  final case class Within(part: Int) extends Leaf

  /** The last n rows. */
  final case class Among(part: Int) extends Leaf

  /** Rows that pass a named filter. */
  final case class Named(part: Int) extends Leaf

  /** A condition on rows. If it is the whole window and not a condition, it is a span of time. */
  final case class Plain(part: Int) extends Leaf

  final case class Both(left: Window, right: Window) extends Window
  final case class OneOf(left: Window, right: Window) extends Window
  final case class Except(window: Window) extends Window

  /** Splits a window expression into its structure and parts. A subexpression without a window function stays one condition. */
  def of(window: Expression): (Window, Seq[Expression]) = {
    val parts = mutable.ArrayBuffer.empty[Expression]
    def part(e: Expression): Int = {
      parts += e
      parts.size - 1
    }
    def parse(e: Expression): Window = e match {
      case WithinLast(span) => Within(part(span))
      case AmongLast(rows) => Among(part(rows))
      case Passing(filter) => Named(part(filter))
      case _: And if hasMark(e) => combine(conjuncts(e), And(_, _), Both(_, _))
      case _: Or if hasMark(e) => combine(disjuncts(e), Or(_, _), OneOf(_, _))
      case Not(inner) if hasMark(e) => Except(parse(inner))
      case condition => Plain(part(condition))
    }
    // join all conditions of an AND or OR into one, because a sketch has room for few filters
    def combine(
        all: Seq[Expression],
        joined: (Expression, Expression) => Expression,
        both: (Window, Window) => Window
    ): Window = {
      val (windows, conditions) = all.partition(hasMark)
      (windows ++ conditions.reduceOption(joined)).map(parse).reduce(both)
    }
    val shape = parse(window)
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
