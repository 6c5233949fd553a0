package chronosketch.spark.sql

import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.{SparkSession, classic}

/** Asks a session for its catalogs.
  *
  * Spark's manager of catalogs is an interface since 4.2 and a class before, so code that is compiled for one fails on the other. This
  * goes by the names of its methods.
  */
private[spark] object Catalogs {
  def current(session: SparkSession): String =
    call(session, "currentCatalog").asInstanceOf[CatalogPlugin].name

  /** The current schema: a catalog may have schemas within schemas. */
  def currentSchema(session: SparkSession): Seq[String] =
    call(session, "currentNamespace").asInstanceOf[Array[String]].toSeq

  def isRegistered(session: SparkSession, name: String): Boolean =
    call(session, "isCatalogRegistered", name).asInstanceOf[Boolean]

  def named(session: SparkSession, name: String): CatalogPlugin =
    call(session, "catalog", name).asInstanceOf[CatalogPlugin]

  private def call(session: SparkSession, method: String, arguments: String*): AnyRef = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val manager = state.getClass.getMethod("catalogManager").invoke(state)
    val found = manager.getClass.getMethod(method, arguments.map(_ => classOf[String]): _*)
    try found.invoke(manager, arguments: _*)
    catch { case e: java.lang.reflect.InvocationTargetException => throw e.getCause }
  }
}
