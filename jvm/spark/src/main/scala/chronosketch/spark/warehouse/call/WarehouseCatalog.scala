package chronosketch.spark.warehouse.call

import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import chronosketch.Refusal
import chronosketch.spark.history.following.HistoryCalls
import chronosketch.spark.rollup.RollupProcedures
import chronosketch.spark.sql.Conditions
import chronosketch.spark.table.NearestFunction

/** The catalog in which `CALL chronosketch.append(...)` finds its procedures. A session has it if `spark.sql.catalog.chronosketch` names
  * this class.
  */
final class WarehouseCatalog extends ProcedureCatalog {
  private val procedures = Procedures.all ++ RollupProcedures.all :+ HistoryCalls.follow
  private var catalogName = "chronosketch"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = catalogName = name
  override def name: String = catalogName

  override def loadProcedure(requested: Identifier): UnboundProcedure =
    procedures.find(_.name == requested.name && requested.namespace.isEmpty).getOrElse {
      val known = procedures.map(_.name)
      val nearest = new NearestFunction(known, oneWord = true).find(requested.name, arguments = 0)
      throw Conditions.runtimeError(
        Refusal(
          "CHRONOSKETCH_NO_PROCEDURE",
          "procedure" -> requested.toString,
          "known" -> known.mkString(", "),
          "nearest" -> nearest.fold("")(guess => s" The nearest is ${guess.function}.")
        ),
        Map("catalog" -> catalogName)
      )
    }

  override def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (namespace.nonEmpty) Array.empty
    else procedures.map(p => Identifier.of(Array.empty[String], p.name)).toArray
}
