package chronosketch.spark.table

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  AnalysisContext,
  FunctionRegistryBase,
  UnresolvedFunction,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.{SparkSession => SqlSession}

/** Lets a function of the user take precedence over ours of the same name.
  *
  * Spark registers the functions of an extension among its built-in ones. It looks there before it looks for persistent functions and,
  * since 4.2, before it looks for temporary ones. If a user already had a function of such a name, adding this jar would change the
  * answers of the same query. So our functions look for the user's function first.
  *
  * Cost  a look-up in the session's functions and in the current database for each call that is analysed
  */
private[spark] object UserFunctions {

  /** The call of the user's function of this name, if the session has one. */
  def expression(name: String, arguments: Seq[Expression]): Option[Expression] = {
    val session = SparkSession.active
    temporary(session.sessionState.functionRegistry, name, arguments).orElse(
      persistent(session, name).map(UnresolvedFunction(_, arguments, isDistinct = false))
    )
  }

  /** The call of the user's table function of this name, if the session has one. */
  def table(name: String, arguments: Seq[Expression]): Option[LogicalPlan] = {
    val session = SparkSession.active
    temporary(session.sessionState.tableFunctionRegistry, name, arguments).orElse(
      persistent(session, name).map(f => UnresolvedTableValuedFunction(f.nameParts, arguments))
    )
  }

  // Spark 4.2 registers temporary functions under this qualified name. In earlier versions they replace our functions.
  private def temporary[A](
      registry: FunctionRegistryBase[A],
      name: String,
      arguments: Seq[Expression]
  ): Option[A] = {
    val context = AnalysisContext.get
    // a view sees only the temporary functions that existed when it was created
    val isVisible = !isInView || context.referredTempFunctionNames.contains(name)
    val found =
      if (isVisible) registry.lookupFunctionBuilder(FunctionIdentifier(name, Some("session"), Some("system")))
      else None
    found.map { build =>
      context.referredTempFunctionNames += name
      build(arguments)
    }
  }

  private def persistent(session: SparkSession, name: String): Option[FunctionIdentifier] = {
    val sessionCatalog = session.sessionState.catalog
    val current =
      if (isInView) AnalysisContext.get.catalogAndNamespace
      else Seq(currentCatalog(session), sessionCatalog.getCurrentDatabase)
    current match {
      case Seq(SessionCatalog, database)
          if sessionCatalog.isPersistentFunction(FunctionIdentifier(name, Some(database))) =>
        Some(FunctionIdentifier(name, Some(database), Some(SessionCatalog)))
      case _ => None
    }
  }

  // Spark's catalog manager is a class in 4.0 and a trait in 4.2, so no compiled call of it runs on both. The public catalog does.
  private def currentCatalog(session: SqlSession): String = session.catalog.currentCatalog()

  private val SessionCatalog = "spark_catalog"

  private def isInView: Boolean = AnalysisContext.get.catalogAndNamespace.nonEmpty
}
