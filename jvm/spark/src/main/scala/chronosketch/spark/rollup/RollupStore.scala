package chronosketch.spark.rollup

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.Sources

/** The newest version of a roll-up's table.
  *
  * @param version
  *   the version's number in Delta, or the id of the snapshot in Iceberg
  * @param progress
  *   the step whose rows the table has, or None if no step was made
  * @param steps
  *   the last steps, the newest first
  */
private[rollup] final case class StoredVersion(
    version: Long,
    progress: Option[Progress],
    steps: Seq[CommittedStep]
)

/** Reads and writes the table that keeps a roll-up. There is one implementation for each format of tables. */
private[rollup] trait RollupStore {

  /** The statement that creates the table without rows if it doesn't exist. */
  def creation(definition: RollupDefinition): String

  /** Finds the newest version, or says what else than a step has changed the rows.
    *
    * @param rebuilding
    *   whether the rows will be replaced, so that it does not matter what they are
    */
  def newest(rebuilding: Boolean): Either[String, StoredVersion]

  def rows(version: Long): DataFrame

  /** Writes a step in one commit. Returns how many rows it wrote, or None if the table has a newer version and nothing was written.
    *
    * @param version
    *   the version that the step read
    * @param condition
    *   a condition of SQL on the rows that are replaced, or None for all
    */
  def commit(
      version: Long,
      replacement: Replacement,
      condition: Option[String],
      progress: Progress
  ): Option[Long]

  /** The number of the table's files, and their bytes. */
  def size: (Long, Long)
}

private[rollup] object RollupStore {

  /** The store of a table that exists. */
  def of(session: SparkSession, name: String): RollupStore =
    if (Sources.isIceberg(session, name)) new IcebergStore(session, name) else new DeltaStore(session, name)

  /** The store of a table that is to be created: in Iceberg if its catalog is Iceberg's. */
  def create(session: SparkSession, name: String): RollupStore =
    if (Sources.isInIcebergCatalog(session, name)) new IcebergStore(session, name)
    else new DeltaStore(session, name)

  /** The property that keeps a definition, as a clause of CREATE TABLE. */
  def properties(definition: RollupDefinition): String =
    s"TBLPROPERTIES ('${RollupDefinition.Property}' = ${RollupTable.literal(definition.toJson)})"

  def columns(definition: RollupDefinition): Seq[(String, String)] =
    definition.schema.fields.toSeq.map(f => QuotingUtils.quoteIdentifier(f.name) -> f.dataType.sql)
}
