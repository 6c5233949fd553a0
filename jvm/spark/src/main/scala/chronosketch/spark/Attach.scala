package chronosketch.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, classic}

import chronosketch.spark.hopping.MissingRewrite
import chronosketch.spark.sketch.DirectReading
import chronosketch.spark.sql.SparkPrivates

/** Adds the functions and their operators to a running session, if the jar was added after the session started. Spark accepts some
  * rules, such as [[chronosketch.spark.hopping.HoppingRewrite]], only when a session starts. Those rules apply to later sessions only.
  */
object Attach {

  /** Registers every function whose name is not already taken in the session. */
  def attach(session: SparkSession): Unit = {
    val running = session.asInstanceOf[classic.SparkSession]
    // newSession() passes these extensions on, so sessions created from this one later have everything
    new ChronosketchExtensions()(SparkPrivates.extensions(running))
    // let Spark register the functions: the form of names in its registry differs between Spark versions
    val extensions = new SparkSessionExtensions
    FunctionTable.registrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectFunction)
    FunctionTable.tableRegistrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectTableFunction)
    SparkPrivates.register(extensions, running.sessionState.functionRegistry)
    SparkPrivates.register(extensions, running.sessionState.tableFunctionRegistry)
    // if the extension was active from the start, these strategies and rules are redundant but harmless
    ChronosketchExtensions.strategies
      .filterNot(running.experimental.extraStrategies.contains)
      .foreach(running.experimental.extraStrategies :+= _)
    (ChronosketchExtensions.optimizations ++ Seq(DirectReading, MissingRewrite))
      .filterNot(running.experimental.extraOptimizations.contains)
      .foreach(running.experimental.extraOptimizations :+= _)
  }
}
