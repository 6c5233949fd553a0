package chronosketch.spark.warehouse.call

import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions

/** What `CALL chronosketch.append(...)` finds its procedures in. A session has it where `spark.sql.catalog.chronosketch` names this class. */
final class WarehouseCatalog extends ProcedureCatalog {
  private var called = "chronosketch"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = called = name
  override def name: String = called

  override def loadProcedure(asked: Identifier): UnboundProcedure =
    Procedures.all.find(_.name == asked.name && asked.namespace.isEmpty).getOrElse {
      val known = Procedures.all.map(_.name).mkString(", ")
      throw Conditions.runtimeError(
        Refusal("CHRONOSKETCH_NO_PROCEDURE", "procedure" -> asked.toString, "known" -> known),
        Map("catalog" -> called)
      )
    }

  override def listProcedures(namespace: Array[String]): Array[Identifier] =
    if (namespace.nonEmpty) Array.empty
    else Procedures.all.map(p => Identifier.of(Array.empty[String], p.name)).toArray
}
