package chronosketch.spark.sql

import scala.util.control.NonFatal

import org.apache.spark.ErrorClassesJsonReader
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import chronosketch.Refusal

/** Throws our error conditions, listed in `error/chronosketch-conditions.json`, as errors of Spark's own classes.
  *
  * Spark looks up every message by its condition, on the driver once more for PySpark's `getMessage()`, and knows only its own file.
  * So our conditions are added to the map in its reader once per JVM. This uses reflection, because the map is private to Spark.
  */
object Conditions {
  private val reader =
    new ErrorClassesJsonReader(Seq(getClass.getResource("/error/chronosketch-conditions.json")))

  private lazy val registered: Boolean =
    try {
      val helper = Class.forName("org.apache.spark.SparkThrowableHelper$").getField("MODULE$").get(null)
      val sparks = helper.getClass.getMethod("errorReader").invoke(helper)
      val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
      field.setAccessible(true)
      def map(target: AnyRef): Map[String, AnyRef] = field.get(target).asInstanceOf[Map[String, AnyRef]]
      sparks.synchronized(field.set(sparks, map(sparks) ++ map(reader)))
      true
    } catch { case NonFatal(_) => false }

  /** Adds our conditions to Spark's. Returns whether that succeeded. */
  def register(): Boolean = registered

  /** An error about an argument, thrown before any job starts. */
  def analysisError(condition: String, origin: Origin, parameters: (String, String)*): AnalysisException = {
    register()
    new AnalysisException(condition, parameters.toMap, origin)
  }

  /** An error that another one caused, so that both are shown. */
  def analysisError(
      condition: String,
      cause: Option[Throwable],
      parameters: (String, String)*
  ): AnalysisException = {
    register()
    new AnalysisException(condition, parameters.toMap, cause)
  }

  /** An error about a table or an argument of a procedure, which has no place in a query. */
  def refusal(condition: String, parameters: (String, String)*): AnalysisException =
    analysisError(condition, CurrentOrigin.get, parameters: _*)

  /** An error about a name that is not one of the allowed ones. */
  def unknownChoice(
      function: String,
      argument: String,
      value: String,
      allowed: Seq[String],
      origin: Origin
  ): AnalysisException = analysisError(
    "CHRONOSKETCH_UNKNOWN_CHOICE",
    origin,
    "function" -> function,
    "argument" -> argument,
    "value" -> value,
    "allowed" -> allowed.map(choice => s"'$choice'").mkString(", ")
  )

  /** Runs `body` during the analysis of an expression. A refusal becomes an analysis error. */
  def analysing[A](function: String, origin: Origin)(body: => A): A =
    try body
    catch {
      case r: Refusal =>
        throw analysisError(r.condition, origin, (r.parameters + ("function" -> function)).toSeq: _*)
    }

  /** An error about a value while a query runs. `context` adds message parameters to the refusal's own: the function, and the SQL of its
    * argument.
    */
  def runtimeError(refusal: Refusal, context: Map[String, String]): RuntimeException = {
    register()
    val values = readable(refusal) ++ context + ("version" -> chronosketch.Version.value)
    val named =
      reader.getMessageParameters(refusal.condition).map(name => name -> values.getOrElse(name, s"<$name>"))
    SparkPrivates.runtimeException(refusal.condition, named.toMap, refusal)
  }

  /** A refusal's parameters, with times shown as SQL values instead of keys. */
  private def readable(refusal: Refusal): Map[String, String] =
    refusal.parameters.get("times").filter(_ => refusal.condition == PanesOverlap).flatMap(EventTime.named)
      .fold(refusal.parameters) { times =>
        refusal.parameters.map {
          case (name, key) if PaneTimes.contains(name) => name -> EventTime.text(key.toLong, times)
          case other => other
        }
      }

  private val PanesOverlap = "CHRONOSKETCH_PANES_OVERLAP"
  private val PaneTimes = Set("leftFirst", "leftLast", "rightFirst", "rightLast")

  /** Runs `body` while a query runs. A refusal becomes an error of Spark's own class. */
  def answering[A](context: => Map[String, String])(body: => A): A =
    try body
    catch { case refusal: Refusal => throw runtimeError(refusal, context) }
}
