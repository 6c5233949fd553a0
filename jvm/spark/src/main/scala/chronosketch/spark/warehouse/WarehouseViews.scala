package chronosketch.spark.warehouse

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, PartitionDirectory}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, SparkSession, classic, functions}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.Refusal
import chronosketch.spark.sql.{Conditions, SparkPrivates}
import chronosketch.spark.warehouse.manifest.{Definition, EntryFile, LiveBatch, ManifestEntry, Run, State}
import chronosketch.spark.warehouse.runs.{EntryFolders, EntrySummaries}

/** Creates views of one version: of its manifest, and of the sketches of its groups. Creating them reads no files. */
private[warehouse] final class WarehouseViews(
    session: SparkSession,
    folders: EntryFolders,
    state: State
) {
  // an empty warehouse has no types yet
  private val types =
    state.definition.types.getOrElse(Seq.fill(state.definition.by.size + 1)(NullType))
  private val values = Definition.values(types.last)
  private val by = state.definition.bySchema(types)

  def create(name: String): Unit = {
    runs.createOrReplaceTempView(s"${name}_runs")
    live.createOrReplaceTempView(s"${name}_live")
    summaries.createOrReplaceTempView(s"${name}_summaries")
  }

  private def runs: DataFrame = table(
    Seq(
      StructField("level", IntegerType, nullable = false),
      StructField("first_step", LongType, nullable = false),
      StructField("last_step", LongType, nullable = false),
      StructField("steps", LongType, nullable = false)
    ),
    state.runs.map(run => run -> Seq[Any](run.level, run.firstStep, run.lastStep, run.steps))
  )

  private def live: DataFrame = {
    val ends = state.open.flatMap(_.untilMicros).map(Long.box)
    table(
      Seq(
        StructField("level", IntegerType, nullable = false),
        StructField("step", LongType, nullable = false),
        StructField("step_ends", TimestampType)
      ),
      state.live.map(batch => batch -> Seq[Any](batch.level, state.stepFor(None), ends.orNull))
    )
  }

  /** One row per manifest entry: its id, columns of its kind, and the columns that all entries have. */
  private def table(own: Seq[StructField], entries: Seq[(ManifestEntry, Seq[Any])]): DataFrame = {
    val schema = StructType(StructField("run", StringType, nullable = false) +: own :++ Seq(
      StructField("rows", LongType, nullable = false),
      StructField("nulls", LongType, nullable = false),
      StructField("min", types.last),
      StructField("max", types.last),
      StructField("bytes", LongType, nullable = false),
      StructField("files", ArrayType(StringType, containsNull = false), nullable = false),
      StructField("version", LongType, nullable = false)
    ))
    val rows = entries.map { case (entry, ownValues) =>
      val files = folders.rowFiles(entry).map(path => UTF8String.fromString(path.toString))
      val commonValues = Seq[Any](
        entry.rows,
        entry.nulls,
        entry.keyRange.map(r => values.value(r._1)).orNull,
        entry.keyRange.map(r => values.value(r._2)).orNull,
        entry.bytes,
        new GenericArrayData(files),
        state.version
      )
      InternalRow.fromSeq(UTF8String.fromString(entry.id) +: ownValues :++ commonValues)
    }
    frame(LocalRelation(toAttributes(schema), rows))
  }

  /** One row per group of each run and live batch. */
  private def summaries: DataFrame = {
    val columns = by.fieldNames.toSeq ++
      Seq("run", "first_step", "last_step", "is_live", "rows", "sketch", "version")
    val all =
      if (state.definition.types.isEmpty)
        frame(LocalRelation(toAttributes(StructType(by ++ EntrySummaries.Columns ++ SummaryIndex.Columns))))
      else {
        val index = new SummaryIndex(folders, state)
        session.baseRelationToDataFrame(HadoopFsRelation(
          index,
          index.partitionSchema,
          StructType(by ++ EntrySummaries.Columns),
          None,
          new ParquetFileFormat,
          Map.empty
        )(session))
      }
    all.select(columns.map(name => functions.col(s"`${name.replace("`", "``")}`")): _*)
  }

  private def frame(plan: LocalRelation): DataFrame =
    SparkPrivates.frame(session.asInstanceOf[classic.SparkSession], plan)
}

/** Lists the summary files of one version for Spark. The steps of an entry are partition columns, so that a condition on steps decides
  * which files are read.
  */
private[warehouse] final class SummaryIndex(folders: EntryFolders, state: State) extends FileIndex {
  val partitionSchema: StructType = StructType(SummaryIndex.Columns)

  def rootPaths: Seq[Path] = Seq(folders.warehouse)
  def inputFiles: Array[String] = paths.map(_.toString).toArray
  def sizeInBytes: Long = state.entries.flatMap(_.summary).map(_.bytes).sum

  /** Does nothing: the version never changes. */
  def refresh(): Unit = ()

  def listFiles(
      partitionFilters: Seq[Expression],
      rowFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val isSelected = condition(partitionFilters)
    for {
      entry <- state.entries
      path <- folders.summaryFile(entry)
      summary <- entry.summary
      values = columns(entry) if isSelected(values)
    } yield PartitionDirectory(values, Array(file(path, summary)))
  }

  private def paths: Seq[Path] = state.entries.flatMap(entry => folders.summaryFile(entry))

  private def columns(entry: ManifestEntry): InternalRow = entry match {
    case run: Run => InternalRow(run.firstStep, run.lastStep, false, state.version)
    case _: LiveBatch => InternalRow(state.stepFor(None), state.stepFor(None), true, state.version)
  }

  private def condition(filters: Seq[Expression]): InternalRow => Boolean =
    filters.reduceOption(And).fold((_: InternalRow) => true) { all =>
      val bound = all.transform { case column: AttributeReference =>
        val at = partitionSchema.fieldIndex(column.name)
        BoundReference(at, partitionSchema(at).dataType, nullable = false)
      }
      Predicate.createInterpreted(bound).eval(_)
    }

  private def file(path: Path, summary: EntryFile): FileStatus =
    Conditions.answering(Map("function" -> "a view", "path" -> folders.warehouse.toString)) {
      if (!path.getFileSystem(folders.conf).exists(path))
        throw Refusal("CHRONOSKETCH_WAREHOUSE_VERSION_GONE", "shown" -> state.version.toString)
      folders.requireFile(path, summary)
      new FileStatus(summary.bytes, false, 1, summary.bytes, 0L, path)
    }
}

private[warehouse] object SummaryIndex {

  /** The partition columns, which come from the manifest. A live batch counts as part of the step that would end next. */
  val Columns: Seq[StructField] = Seq(
    StructField("first_step", LongType, nullable = false),
    StructField("last_step", LongType, nullable = false),
    StructField("is_live", BooleanType, nullable = false),
    StructField("version", LongType, nullable = false)
  )
}
