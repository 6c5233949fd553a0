package chronosketch.spark.window

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{BinaryType, DataType, ObjectType}

import chronosketch.Refusal
import chronosketch.families.Capabilities
import chronosketch.spark.sketch.{Ask, Question, SketchReader}
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, Span}
import chronosketch.summary.{Envelope, Summary}
import chronosketch.window.{Constraint, NormalForm, Windowed}

/** `sketch_window(sketch, window, as_of)`: the sketch of one window, taken from a window sketch.
  *
  * @param window    the structure of the window; its parts are the last arguments
  * @param hasAsOf   whether the second argument is the time at which windows end
  * @param asSummary whether the answer is the summary in memory, for another question of the same row, instead of its bytes
  */
final case class SketchWindow(window: Window, hasAsOf: Boolean, asSummary: Boolean)
    extends Question(SketchWindow.Name) {
  private def partsFrom: Int = if (hasAsOf) 2 else 1

  def dataType(arguments: Seq[Expression]): DataType =
    if (asSummary) ObjectType(classOf[Summary]) else BinaryType

  override def answeringSummary: Option[Question] = Option.when(!asSummary)(copy(asSummary = true))

  override def sql(arguments: Seq[Expression]): String = {
    val windowSql = window.sql(arguments.drop(partsFrom).map(_.sql))
    val asOf = if (hasAsOf) s", ${arguments(1).sql}" else ""
    s"$name(${arguments(0).sql}, $windowSql$asOf)"
  }

  override def explained(arguments: Seq[Expression]): Seq[Any] = {
    val (sketchAndAsOf, parts) = arguments.splitAt(partsFrom)
    Seq[Any](sketchAndAsOf.head, normalForm(parts)) ++ sketchAndAsOf.tail
  }

  /** The normal form of the window. An invalid window is shown as written, for the message that rejects it. */
  private def normalForm(parts: Seq[Expression]): String =
    try {
      val spans = window.leaves.collect { case leaf @ (Window.Within(_) | Window.Plain(_)) =>
        leaf.part -> Span.of(name, "window", parts(leaf.part))
      }.toMap
      val written = spans.values.map(span => span.length -> span.toString).toMap
      val filters = window.leaves.collect { case Window.Named(part) => parts(part).sql }.distinct
      val constraint = window.constraint {
        case Window.Among(part) => Window.among(parts(part))
        case Window.Named(part) => Constraint.Passes(filters.indexOf(parts(part).sql))
        case leaf => Constraint.WithinLast(spans(leaf.part).length)
      }
      NormalForm.of(constraint).text(i => s"${Passing.Name}(${filters(i)})", written)
    } catch { case NonFatal(_) => window.sql(parts.map(Arguments.unqualified)) }

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => checkParts(arguments.drop(partsFrom)),
    () => if (hasAsOf) EventTime.check(name, "as_of", arguments(1)) else TypeCheckSuccess
  )

  private def checkParts(parts: Seq[Expression]): TypeCheckResult = {
    val plain = window.leaves.collect { case Window.Plain(part) => parts(part) }
    plain.find(Window.isCondition).foreach { e =>
      throw Conditions.analysisError(
        "CHRONOSKETCH_CONDITION_OF_ROWS",
        e.origin,
        "function" -> name,
        "sql" -> Arguments.unqualified(e)
      )
    }
    plain match {
      case Seq(e) if !window.isInstanceOf[Window.Leaf] => Arguments.unexpectedType(2, "BOOLEAN", e)
      case Seq(e) => WithinLast.check(name, "window", 2, e)
      case _ =>
        // the filters are known only once there is a sketch, so each name stands for a filter of its own
        Conditions.analysing(name, parts.head.origin)(Constraint.check(window.constraint {
          case Window.Named(part) => Constraint.Passes(part)
          case _ => Constraint.AmongLast(1)
        }))
        TypeCheckSuccess
    }
  }

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val parts = arguments.drop(partsFrom)
    var latest: Windowed = null
    var constraint: Constraint = null
    val end = Option.when(hasAsOf)(EventTime.of(arguments(1).dataType).get)
    given => {
      val sketch = Capabilities.requireWindowed(reader.open(given(0)))
      val isLikeLatest =
        latest != null && latest.timeDomain == sketch.timeDomain && latest.filters == sketch.filters
      if (!isLikeLatest) {
        constraint = constraintOf(parts, sketch)
        if (hasAsOf) EventTime.checkComparable(arguments(1), given(1), sketch.timeDomain)
      }
      latest = sketch
      val restricted = restrict(sketch, constraint, end.map(_.key(given(1))))
      if (asSummary) restricted else Envelope.seal(restricted)
    }
  }

  private def constraintOf(parts: Seq[Expression], sketch: Windowed): Constraint =
    window.constraint { leaf =>
      val part = parts(leaf.part)
      leaf match {
        case Window.Among(_) => Window.among(part)
        case Window.Named(_) =>
          val filter = Arguments.constant(part).toString
          if (!sketch.filters.contains(filter)) {
            throw Refusal(
              "CHRONOSKETCH_UNKNOWN_FILTER",
              "filter" -> filter,
              "known" -> (if (sketch.filters.isEmpty) "none" else sketch.filters.mkString(", "))
            )
          }
          Constraint.Passes(sketch.filters.indexOf(filter))
        case _ => Window.within(name, part, sketch.timeDomain)
      }
    }

  private def restrict(sketch: Windowed, constraint: Constraint, asOf: Option[Long]): Summary =
    try sketch.restrict(constraint, asOf)
    catch {
      case r: Refusal if r.condition == SketchWindow.BeyondRetention =>
        throw Refusal(
          r.condition,
          "retention" -> Span.text(sketch.retention, sketch.timeDomain),
          "asOf" -> asOf.fold("the newest row")(EventTime.text(_, sketch.timeDomain))
        )
    }
}

object SketchWindow {
  val Name = "sketch_window"
  private val BeyondRetention = "CHRONOSKETCH_BEYOND_RETENTION"

  /** Builds the question from the function's arguments. */
  def of(e: Seq[Expression]): Ask = {
    val (window, parts) = Window.of(e(1))
    val asOf = Option.when(EventTime.isGiven(e(2)))(e(2))
    Ask.of(SketchWindow(window, asOf.nonEmpty, asSummary = false), (e(0) +: asOf.toSeq) ++ parts)
  }
}
