package chronosketch.spark.warehouse.sink

import java.util.{Map => JavaMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.connector.catalog.{Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Conditions, Span}
import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.live.StepLength

/** The data source of `writeStream.format("chronosketch")`, in classic Spark and Connect. Wrong options or columns are reported when the
  * query starts.
  */
final class WarehouseSink extends TableProvider with DataSourceRegister {
  def shortName(): String = "chronosketch"

  override def supportsExternalMetadata: Boolean = true
  def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType

  def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JavaMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    val path = Option(options.get("path")).getOrElse(
      throw Conditions.analysisError(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        Origin(),
        "function" -> WarehouseSink.Function,
        "argument" -> "path",
        "required" -> "the path or the name of a warehouse",
        "sql" -> "NULL"
      )
    )
    new WarehouseTable(
      Warehouse.open(SparkSession.active, path),
      schema,
      Option(options.get("step")).map(WarehouseSink.length)
    )
  }
}

private[sink] object WarehouseSink {
  val Function = "warehouse attach"

  private def length(text: String): StepLength = {
    val micros = Span.of(Function, "step", Literal(text)).in(Domain.Timestamp)
    // rounds up to milliseconds, the unit of clocks and manifests
    StepLength(-Math.floorDiv(-micros, 1000L))
  }
}
