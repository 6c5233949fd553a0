package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.aggregate.SketchFunction
import chronosketch.spark.explain.LeftToSparkExec

/** Plans functions of ours over windows in an operator of its own, and those of Spark's that [[SlidingConf.Accelerate]] lists; others
  * beside them, and what it does not cover, stay with Spark's above it, on the rows that it has sorted, and EXPLAIN says why.
  */
object SlidingStrategy extends SparkStrategy {

  /** As many different values as the bits of a word tell apart, beside the order key. */
  private val MostElements = 63

  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case window: Window if !window.isStreaming && window.windowExpressions.exists(isOpen) =>
      window match {
        case PhysicalWindow(WindowFunctionType.SQL, expressions, keys, order, child) =>
          val judged = expressions.map(e => e -> judge(e, keys, order))
          if (judged.exists(_._2.contains(None)) || !window.windowExpressions.exists(isOurs))
            Seq(planned(judged, keys, order, child))
          else {
            // it comes here again, and then passes to Spark's own strategy
            val reasons = judged.collect { case (e, Some(Some(why))) if isOurs(e) => e.exprId -> why }.toMap
            Seq(planLater(window.transformExpressions {
              case e: Alias if reasons.contains(e.exprId) => noted(e, reasons(e.exprId))
            }))
          }
        case _ => Nil
      }
    case _ => Nil
  }

  /** A function of which it is not settled that Spark's own operator runs it. */
  private def isOpen(e: NamedExpression): Boolean =
    isOurs(e) || (SlidingConf.isEnabled && SparkCall.name(e).exists(SlidingConf.accelerates))

  private def isOurs(e: NamedExpression): Boolean = e match {
    case SlidingCall.Ours(_, f, _) => f.note.isEmpty
    case _ => false
  }

  /** None for a function that is not to run here; else why Spark's own operator has to do it, if it has to. */
  private def judge(
      e: NamedExpression,
      keys: Seq[Expression],
      order: Seq[SortOrder]
  ): Option[Option[String]] =
    Option.when(isOpen(e)) {
      if (!SlidingConf.isEnabled) Some(s"${SlidingConf.Enabled} is false")
      else
        SlidingCall.of(e, order, SQLConf.get.sessionLocalTimeZone).left.toOption.orElse(
          keys.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType))
            .map(k => s"equal values of ${k.sql} differ in their bytes")
        )
    }

  private def noted(e: NamedExpression, why: String): NamedExpression =
    e.transform { case f: SketchFunction if f.note.isEmpty => f.noted(why) }.asInstanceOf[NamedExpression]

  private def planned(
      judged: Seq[(NamedExpression, Option[Option[String]])],
      keys: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): SparkPlan = {
    val ours = judged.collect { case (e, Some(None)) => e }
    val others = judged.collect {
      case (e, None) => e
      case (e, Some(Some(why))) => noted(e, why)
    }
    val later = planLater(child)
    val calls = grouped(ours, order)
    val slid = Placement.of(calls, others, keys, order, child) match {
      case InRanges(cut) =>
        SketchWindowExec(ours, keys, order, InRanges(cut), SketchRangesExec(keys, order.head, cut, later))
      case placement =>
        calls.foldLeft(later)((below, some) => SketchWindowExec(some, keys, order, placement, below))
    }
    val all = if (others.isEmpty) slid else leftAbove(judged, others, keys, order, slid)
    val output = later.output ++ judged.map(_._1.toAttribute)
    if (all.output.map(_.exprId) == output.map(_.exprId)) all else ProjectExec(output, all)
  }

  private def leftAbove(
      judged: Seq[(NamedExpression, Option[Option[String]])],
      others: Seq[NamedExpression],
      keys: Seq[Expression],
      order: Seq[SortOrder],
      slid: SparkPlan
  ): SparkPlan = {
    val reasons =
      judged.collect { case (e, Some(Some(why))) if !isOurs(e) => s"${SparkCall.name(e).get}: $why" }
    val left = WindowExec(others, keys, order, slid)
    if (reasons.isEmpty) left else LeftToSparkExec(reasons, left)
  }

  /** As many calls at a time as have no more elements than can be told apart. Those that keep bytes of their rows, a segment at a
    * time, come above the others, whose frames may be far longer.
    */
  private def grouped(calls: Seq[NamedExpression], order: Seq[SortOrder]): Seq[Seq[NamedExpression]] = {
    val known = calls.flatMap { e =>
      SlidingCall.of(e, order, SQLConf.get.sessionLocalTimeZone).toOption.map(e -> _)
    }
    def group(calls: Seq[(NamedExpression, SlidingCall)]): Seq[Seq[NamedExpression]] =
      calls.foldLeft(Seq.empty[Seq[(NamedExpression, SlidingCall)]]) { (groups, call) =>
        val hasRoom =
          groups.lastOption.exists(g => (g :+ call).map(_._2.elements.size).sum <= MostElements)
        if (hasRoom) groups.init :+ (groups.last :+ call) else groups :+ Seq(call)
      }.map(_.map(_._1))
    val (ofBytes, ofWords) = known.partition(_._2.elements.exists(_.dataType == BinaryType))
    // a sketch is made when its row goes out, of what a frame too large to be kept has lost by then
    val (sketches, words) =
      if (ofWords.exists(_._2.certified.nonEmpty)) ofWords.partition(_._2.kind.words == 0) else (Nil, ofWords)
    group(words) ++ group(sketches) ++ group(ofBytes)
  }
}
