package chronosketch.spark.advisor

import java.util.Locale

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.{Arguments, Conditions, Span}

/** The table function `chronosketch_advise`: one row per approach, the best first. */
private[spark] object AdviceFunction {
  val Name = "chronosketch_advise"

  private val prediction = new StructType()
    .add("value", DoubleType, nullable = false)
    .add("low", DoubleType, nullable = false)
    .add("high", DoubleType, nullable = false)

  private val schema = new StructType()
    .add("rank", IntegerType)
    .add("approach", StringType, nullable = false)
    .add("title", StringType, nullable = false)
    .add("promise", StringType, nullable = false)
    .add("time", prediction)
    .add("bytes", prediction)
    .add("load", DoubleType)
    .add("within_memory", BooleanType)
    .add("extrapolated", ArrayType(StringType, containsNull = false), nullable = false)
    .add("guideline", StringType, nullable = false)
    .add("section", StringType, nullable = false)
    .add("excluded", StringType)
    .add("sql", StringType)

  /** Evaluates a call. Arguments: aggregate, retention, slide, rate, epsilon, delta, memory, model. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val call = new Call(arguments)
    val choices = Conditions.analysing(Name, arguments.head.origin)(Advice.of(call.request, call.model))
    new LocalRelation(toAttributes(schema), choices.map(row), isStreaming = false, stream = None)
  }

  private def text(s: String): UTF8String = UTF8String.fromString(s)

  private def row(choice: Choice): GenericInternalRow = {
    def predicted(prediction: Option[Prediction]): Any =
      prediction.fold(null: Any)(p => new GenericInternalRow(Array[Any](p.value, p.low, p.high)))
    new GenericInternalRow(
      Array[Any](
        choice.rank.fold(null: Any)(identity),
        text(choice.approach),
        text(choice.title),
        text(choice.promise),
        predicted(choice.time),
        predicted(choice.bytes),
        choice.load.fold(null: Any)(identity),
        choice.isWithinMemory.fold(null: Any)(identity),
        new GenericArrayData(choice.extrapolated.map(text).toArray[Any]),
        text(choice.guideline.name),
        text(choice.guideline.section),
        choice.excluded.fold(null: Any)(text),
        choice.sql.fold(null: Any)(text)
      )
    )
  }

  private final class Call(arguments: Seq[Expression]) {
    private val aggregate = arguments(0)
    private val retention = arguments(1)
    private val slide = arguments(2)
    private val rate = arguments(3)
    private val epsilon = arguments(4)
    private val delta = arguments(5)
    private val memory = arguments(6)
    private val file = arguments(7)

    def request: AdviceRequest = {
      val perSecond = share("rate", rate, "a number of rows per second, above 0")(_ > 0)
      val rows = rowsOf("retention", retention, perSecond)
      val step = rowsOf("slide", slide, perSecond)
      if (step > rows) refuse("slide", "no longer than the retention", slide)
      val allowed =
        share("epsilon", epsilon, "a number from 0 (exact) to below 1")(e => e >= 0 && e < 1)
      val chance = share("delta", delta, "a number above 0 and below 1")(d => d > 0 && d < 1)
      AdviceRequest(
        named,
        Workload(rows, step, allowed.getOrElse(0.0), chance.getOrElse(0.0)),
        chance,
        value(memory).map(_ => bytes),
        perSecond
      )
    }

    def model: CostModel = value(file).fold(AdviceConf.model)(path => CostModel.file(path.toString))

    /** The value of an argument; empty if NULL. Refuses what is not a constant. */
    private def value(e: Expression): Option[Any] =
      if (e.resolved && e.foldable) Option(Arguments.constant(e)) else refuse("argument", "a constant", e)

    private def named: Aggregate = {
      val name = value(aggregate).fold("")(_.toString.toLowerCase(Locale.ROOT))
      Aggregate.all.find(_.name == name).getOrElse(
        refuse(
          "aggregate",
          s"one of ${Aggregate.all.map(a => s"'${a.name}'").sorted.mkString(", ")}",
          aggregate
        )
      )
    }

    private def share(
        name: String,
        e: Expression,
        required: String
    )(fits: Double => Boolean): Option[Double] =
      value(e).map { constant =>
        val number = e.dataType match {
          case _: NumericType => Arguments.number(constant)
          case _ => Double.NaN
        }
        if (fits(number) && !number.isInfinite) number else refuse(name, required, e)
      }

    /** Converts an argument to a number of rows: a whole number is one, an interval is multiplied by the rate. */
    private def rowsOf(name: String, e: Expression, rate: Option[Double]): Double = {
      if (value(e).isEmpty) refuse(name, "an interval, or a whole number of rows", e)
      Span.of(Name, name, e) match {
        case Span.Units(rows) => rows.toDouble
        case Span.Interval(micros) =>
          val perSecond = rate.getOrElse(refuse(name, "a whole number of rows, unless you give a rate", e))
          math.max(1.0, micros / 1e6 * perSecond)
      }
    }

    private def bytes: Long = {
      val required = "a size above 0, as in '64m'"
      val size =
        try JavaUtils.byteStringAsBytes(value(memory).get.toString)
        catch { case _: IllegalArgumentException => refuse("memory", required, memory) }
      if (size > 0) size else refuse("memory", required, memory)
    }

    private def refuse(argument: String, required: String, e: Expression): Nothing =
      throw Conditions.analysisError(
        "CHRONOSKETCH_ADVICE_ARGUMENT",
        e.origin,
        "function" -> Name,
        "argument" -> argument,
        "required" -> required,
        "sql" -> toSQLExpr(e)
      )
  }
}
