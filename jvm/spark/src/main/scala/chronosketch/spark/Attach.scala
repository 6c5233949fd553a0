package chronosketch.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, classic}

import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.operator.SketchAggregateStrategy
import chronosketch.spark.hopping.{HoppingConf, HoppingPushdown, HoppingStrategy}
import chronosketch.spark.sketch.DirectReading
import chronosketch.spark.sliding.{SlidingConf, SlidingStrategy}
import chronosketch.spark.sql.{Conditions, SparkPrivates}

/** Gives the functions, and the operators that run them, to a session that is running already, where the jar came after its
  * start. Rules right after the analysis ([[chronosketch.spark.hopping.HoppingRewrite]]) a session takes at its start alone.
  */
object Attach {

  /** Registers every function; what the session has under a name of ours already stays. */
  def attach(session: SparkSession): Unit = {
    Conditions.register()
    AggregateConf.register()
    SlidingConf.register()
    HoppingConf.register()
    // The registry's own names differ between Spark lines, and Spark knows which they are.
    val extensions = new SparkSessionExtensions
    FunctionTable.registrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectFunction)
    FunctionTable.tableRegistrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectTableFunction)
    val running = session.asInstanceOf[classic.SparkSession]
    SparkPrivates.register(extensions, running.sessionState.functionRegistry)
    SparkPrivates.register(extensions, running.sessionState.tableFunctionRegistry)
    // where the extension was there from the start, this one only comes second
    Seq(HoppingStrategy, SketchAggregateStrategy, SlidingStrategy)
      .filterNot(running.experimental.extraStrategies.contains)
      .foreach(running.experimental.extraStrategies :+= _)
    Seq(DirectReading, HoppingPushdown)
      .filterNot(running.experimental.extraOptimizations.contains)
      .foreach(running.experimental.extraOptimizations :+= _)
  }
}
