package chronosketch.spark.sql

import scala.util.control.NonFatal

import org.apache.spark.ErrorClassesJsonReader
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

import chronosketch.Refusal

/** Our error conditions, `error/chronosketch-conditions.json`, as Spark's own kind of errors.
  *
  * Spark looks every message up by its condition, on the driver again for PySpark's `getMessage()`, and knows only its own
  * file. So ours are added to the map that its reader holds, once a JVM, by reflection: the map is private to Spark.
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
      def map(of: AnyRef): Map[String, AnyRef] = field.get(of).asInstanceOf[Map[String, AnyRef]]
      sparks.synchronized(field.set(sparks, map(sparks) ++ map(reader)))
      true
    } catch { case NonFatal(_) => false }

  /** Makes Spark know our conditions; whether it does now. */
  def register(): Boolean = registered

  /** What was wrong with an argument, before any job starts. */
  def analysisError(condition: String, origin: Origin, parameters: (String, String)*): AnalysisException = {
    register()
    new AnalysisException(condition, parameters.toMap, origin)
  }

  /** A name that is none of those there are. */
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

  /** Runs `body`, which is part of the analysis of an expression; a refusal in it becomes an analysis error. */
  def analysing[A](function: String, origin: Origin)(body: => A): A =
    try body
    catch {
      case r: Refusal =>
        throw analysisError(r.condition, origin, (r.parameters + ("function" -> function)).toSeq: _*)
    }

  /** What was wrong with a value while running. `context` holds what the message names beside the refusal's own: the
    * function, and the SQL of what it was given.
    */
  def runtimeError(refusal: Refusal, context: Map[String, String]): RuntimeException = {
    register()
    val known = readable(refusal) ++ context + ("version" -> chronosketch.Version.value)
    val named =
      reader.getMessageParameters(refusal.condition).map(name => name -> known.getOrElse(name, s"<$name>"))
    SparkPrivates.runtimeException(refusal.condition, named.toMap, refusal)
  }

  /** A refusal's parameters, times as a user knows them. */
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

  /** Runs `body`; a refusal in it becomes Spark's kind of error. */
  def answering[A](context: => Map[String, String])(body: => A): A =
    try body
    catch { case refusal: Refusal => throw runtimeError(refusal, context) }
}
