package chronosketch.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, classic}

/** Gives the functions to a session that is running already, where the jar came after its start. */
object Attach {

  /** Registers every function; what the session has under a name of ours already stays. */
  def attach(session: SparkSession): Unit = {
    Conditions.register()
    // The registry's own names differ between Spark lines, and Spark knows which they are.
    val extensions = new SparkSessionExtensions
    FunctionTable.registrations
      .filterNot { case (name, _, _) => session.catalog.functionExists(name.funcName) }
      .foreach(extensions.injectFunction)
    SparkPrivates.register(
      extensions,
      session.asInstanceOf[classic.SparkSession].sessionState.functionRegistry
    )
  }
}
