package chronosketch.spark.warehouse.sink

import java.util.{Set => JavaSet}

import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.types.StructType

import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.live.StepLength

/** The table that a starting stream sees: rows can be added. */
private[sink] final class WarehouseTable(
    warehouse: Warehouse,
    override val schema: StructType,
    length: Option[StepLength]
) extends SupportsWrite {
  // checked here, so that the error is raised where the query is started
  warehouse.requireColumns(toAttributes(schema))

  def name: String = s"chronosketch warehouse ${warehouse.path}"

  def capabilities: JavaSet[TableCapability] =
    JavaSet.of(TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA)

  def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = new Write {
      override def toStreaming: StreamingWrite =
        new WarehouseStream(warehouse, warehouse.streaming(toAttributes(info.schema), info.queryId, length))
    }
  }
}
