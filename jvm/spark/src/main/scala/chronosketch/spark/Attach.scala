package chronosketch.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, classic}

import chronosketch.spark.aggregate.operator.SketchAggregateStrategy
import chronosketch.spark.hopping.{HoppingPushdown, HoppingStrategy, MissingRewrite}
import chronosketch.spark.sketch.DirectReading
import chronosketch.spark.sliding.plan.SlidingStrategy
import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.plan.WarehouseStrategy

/** Gives the functions, and the operators that run them, to a session that is running already, where the jar came after its
  * start. Spark adds some rules, [[chronosketch.spark.hopping.HoppingRewrite]] among them, only to a session that starts: those
  * reach the sessions that come later.
  */
object Attach {

  /** Registers every function; what the session has under a name of ours already stays. */
  def attach(session: SparkSession): Unit = {
    val running = session.asInstanceOf[classic.SparkSession]
    // newSession() hands these extensions on, so a session that starts from this one later has all of ours.
    new ChronosketchExtensions()(SparkPrivates.extensions(running))
    // The registry's own names differ between Spark lines, and Spark knows which they are.
    val extensions = new SparkSessionExtensions
    FunctionTable.registrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectFunction)
    FunctionTable.tableRegistrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectTableFunction)
    SparkPrivates.register(extensions, running.sessionState.functionRegistry)
    SparkPrivates.register(extensions, running.sessionState.tableFunctionRegistry)
    // where the extension was there from the start, this one only comes second
    Seq(HoppingStrategy, SketchAggregateStrategy, SlidingStrategy, WarehouseStrategy)
      .filterNot(running.experimental.extraStrategies.contains)
      .foreach(running.experimental.extraStrategies :+= _)
    Seq(DirectReading, HoppingPushdown, MissingRewrite)
      .filterNot(running.experimental.extraOptimizations.contains)
      .foreach(running.experimental.extraOptimizations :+= _)
  }
}
