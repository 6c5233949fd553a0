package chronosketch.spark.sliding.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.aggregate.{ChronosketchAggregate, ExtremeValues, SketchFunction}
import chronosketch.spark.explain.FallbackExec
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sliding.functions.{SlidingCall, SparkFunctions, WindowCall}
import chronosketch.spark.sliding.ranges.SketchRangesExec

/** Plans our functions over windows, and Spark's functions listed in [[SlidingConf.Accelerate]], in our own operator. All others, and
  * calls that our operator does not support, stay in Spark's operator. It runs above ours and reuses its sort order. EXPLAIN says why a
  * call was declined.
  */
object SlidingStrategy extends SparkStrategy {

  /** A word has one NULL bit for the order key and one for each of these elements. */
  private val MostElements = 63

  /** Which operator runs a function of the window. */
  private sealed abstract class Verdict { def function: NamedExpression }
  private final case class Slides(function: NamedExpression, call: SlidingCall) extends Verdict {

    /** The function with the call in place of its window expression. */
    def alias: NamedExpression = function.withNewChildren(Seq(call)).asInstanceOf[NamedExpression]
  }
  private final case class Declined(function: NamedExpression, why: String) extends Verdict
  private final case class LeftToSpark(function: NamedExpression) extends Verdict

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case window: Window if !window.isStreaming && window.windowExpressions.exists(isOpen) =>
      window match {
        case PhysicalWindow(WindowFunctionType.SQL, functions, keys, order, child) =>
          val verdicts = functions.map(verdict(_, keys, order))
          val slides = verdicts.collect { case slides: Slides => slides }
          if (slides.nonEmpty || !functions.exists(isOurs)) Seq(planned(verdicts, keys, order, child))
          else {
            // the noted functions are planned again, and then left to Spark's own strategy
            val reasons = verdicts.collect { case Declined(f, why) if isOurs(f) => f.exprId -> why }.toMap
            Seq(planLater(window.transformExpressions {
              case e: Alias if reasons.contains(e.exprId) => noted(e, reasons(e.exprId))
            }))
          }
        case _ => Nil
      }
    case _ => Nil
  }

  /** Whether the function may still run in our operator. */
  private def isOpen(e: NamedExpression): Boolean = isOurs(e) || (SlidingConf.isEnabled && isListed(e))

  // histories are not among them: a history does not slide, and Spark's own operator runs it
  private def isOurs(e: NamedExpression): Boolean = WindowCall.of(e).map(_.function) match {
    case Some(f: SketchFunction) => f.note.isEmpty
    case Some(f: ExtremeValues) => f.note.isEmpty
    case _ => false
  }

  private def isListed(e: NamedExpression): Boolean = nameOf(e).exists(SlidingConf.accelerates)

  private def nameOf(e: NamedExpression): Option[String] =
    WindowCall.of(e).flatMap(w => SparkFunctions.name(w.function))

  private def verdict(e: NamedExpression, keys: Seq[Expression], order: Seq[SortOrder]): Verdict =
    WindowCall.of(e) match {
      case Some(window) if isOpen(e) =>
        val call =
          if (!SlidingConf.isEnabled) Left(s"${SlidingConf.Enabled} is false")
          else
            SlidingCall.of(window, order, SQLConf.get.sessionLocalTimeZone, SlidingConf.structure)
        val unstable = keys.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType))
        val stable = unstable.map(k => s"equal values of ${k.sql} can have different bytes").toLeft(())
        call.flatMap(c => stable.map(_ => c)).fold(Declined(e, _), Slides(e, _))
      case _ => LeftToSpark(e)
    }

  private def noted(e: NamedExpression, why: String): NamedExpression =
    e.transform { case f: ChronosketchAggregate[_] if f.note.isEmpty => f.noted(why) }.asInstanceOf[
      NamedExpression
    ]

  private def planned(
      verdicts: Seq[Verdict],
      keys: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): SparkPlan = {
    val operators = together(verdicts.collect { case slides: Slides => slides })
    val others = verdicts.collect {
      case LeftToSpark(f) => f
      case Declined(f, why) => noted(f, why)
    }
    val later = planLater(child)
    val ours = Placement.of(operators.map(_.map(_.call)), others, keys, order, child) match {
      case InRanges(cut) =>
        val ranges = SketchRangesExec(keys, order.head, cut, later)
        SketchWindowExec(operators.flatten.map(_.alias), keys, order, InRanges(cut), ranges)
      case placement =>
        operators.foldLeft(later) { (below, slides) =>
          SketchWindowExec(slides.map(_.alias), keys, order, placement, below)
        }
    }
    val all = if (others.isEmpty) ours else fallback(verdicts, WindowExec(others, keys, order, ours))
    val output = later.output ++ verdicts.map(_.function.toAttribute)
    if (all.output.map(_.exprId) == output.map(_.exprId)) all else ProjectExec(output, all)
  }

  private def fallback(verdicts: Seq[Verdict], window: WindowExec): SparkPlan = {
    val reasons = verdicts.collect { case Declined(f, why) if !isOurs(f) => s"${nameOf(f).get}: $why" }
    if (reasons.isEmpty) window else FallbackExec(reasons, window)
  }

  /** Packs calls into operators, at most [[MostElements]] elements each. Calls that keep byte arrays get an operator of their own above
    * the others, because the frames of the others may be far longer.
    */
  private def together(calls: Seq[Slides]): Seq[Seq[Slides]] = {
    def filled(calls: Seq[Slides]): Seq[Seq[Slides]] =
      calls.foldLeft(Seq.empty[Seq[Slides]]) { (operators, call) =>
        val hasRoom =
          operators.lastOption.exists(last => (last :+ call).map(_.call.elements.size).sum <= MostElements)
        if (hasRoom) operators.init :+ (operators.last :+ call) else operators :+ Seq(call)
      }
    val (ofBytes, ofWords) = calls.partition(_.call.elements.exists(_.dataType == BinaryType))
    // a sketch is built when its row is returned, and frames that are too large to be kept have no rows by then
    val (sketches, words) =
      if (ofWords.exists(_.call.approximation.nonEmpty)) ofWords.partition(_.call.structure.words == 0)
      else (Nil, ofWords)
    filled(words) ++ filled(sketches) ++ filled(ofBytes)
  }
}
