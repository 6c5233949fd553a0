package chronosketch.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic

/** Gives the functions to a session that is running already, where the jar came after its start. */
object Attach {

  /** Registers every function; what the session has under a name of ours already stays. */
  def attach(session: SparkSession): Unit = {
    Conditions.register()
    val registry = session.asInstanceOf[classic.SparkSession].sessionState.functionRegistry
    FunctionTable.registrations.foreach { case (name, info, builder) =>
      if (!registry.functionExists(name)) registry.registerFunction(name, info, builder)
    }
  }
}
