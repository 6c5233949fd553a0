package chronosketch.spark.warehouse.registered

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, SparkSession, classic, functions}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.manifest.{Definition, Line, State}
import chronosketch.spark.warehouse.runs.{RunFolders, SummaryFiles}

/** Creates views of one version: of its manifest, and of the sketches of its groups. Creating them reads no files. */
private[warehouse] final class RegisteredViews(
    session: SparkSession,
    folders: RunFolders,
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
  private def table(own: Seq[StructField], lines: Seq[(Line, Seq[Any])]): DataFrame = {
    val schema = StructType(StructField("run", StringType, nullable = false) +: own :++ Seq(
      StructField("rows", LongType, nullable = false),
      StructField("nulls", LongType, nullable = false),
      StructField("min", types.last),
      StructField("max", types.last),
      StructField("bytes", LongType, nullable = false),
      StructField("files", ArrayType(StringType, containsNull = false), nullable = false),
      StructField("version", LongType, nullable = false)
    ))
    val rows = lines.map { case (line, ownValues) =>
      val files = folders.rowsOf(line).map(path => UTF8String.fromString(path.toString))
      val commonValues = Seq[Any](
        line.rows,
        line.nulls,
        line.range.map(r => values.value(r._1)).orNull,
        line.range.map(r => values.value(r._2)).orNull,
        line.bytes,
        new GenericArrayData(files),
        state.version
      )
      InternalRow.fromSeq(UTF8String.fromString(line.id) +: ownValues :++ commonValues)
    }
    frame(LocalRelation(toAttributes(schema), rows))
  }

  /** One row per group of each run and live batch. */
  private def summaries: DataFrame = {
    val columns = by.fieldNames.toSeq ++
      Seq("run", "first_step", "last_step", "is_live", "rows", "sketch", "version")
    val all =
      if (state.definition.types.isEmpty)
        frame(LocalRelation(toAttributes(StructType(by ++ SummaryFiles.Columns ++ SummaryIndex.Columns))))
      else {
        val index = new SummaryIndex(folders, state)
        session.baseRelationToDataFrame(HadoopFsRelation(
          index,
          index.partitionSchema,
          StructType(by ++ SummaryFiles.Columns),
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
