package chronosketch.spark.rollup

import scala.util.control.NonFatal

import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, DateTimeUtils, GenericArrayData}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.following.Sources
import chronosketch.spark.rollup.RollupDefinition.Interval
import chronosketch.spark.rollup.RollupTable.refused
import chronosketch.spark.sql.Procedure.Parameter
import chronosketch.spark.sql.{CallArguments, Procedure}

/** The procedures that CALL can run on roll-ups. This is the only list of them. */
private[spark] object RollupProcedures {
  private val refusal = "CHRONOSKETCH_ROLLUP_ARGUMENT"
  private val into = Parameter("into", StringType, "the roll-up's own Delta or Iceberg table")
  private val texts = ArrayType(StringType)
  private val pairs = MapType(StringType, StringType)
  private val noTexts = Some("CAST(NULL AS ARRAY<STRING>)")
  private val noPairs = Some("CAST(NULL AS MAP<STRING, STRING>)")

  private def text(value: Any): UTF8String = UTF8String.fromString(value.toString)

  private def fields(all: (String, DataType)*): StructType =
    StructType(all.map { case (name, dataType) => StructField(name, dataType) })

  private val stepColumns = fields(
    "step" -> LongType,
    "version" -> LongType,
    "committed" -> TimestampType,
    "rows" -> LongType,
    "is_new" -> BooleanType
  )

  private def row(made: StepResult): Seq[Seq[Any]] = {
    val hasVersion = made.version.version >= 0
    def orNull(value: Long): Any = if (hasVersion && value != StreamBatch.NoTime) value else null
    Seq(Seq(made.step, orNull(made.version.version), orNull(made.version.micros), made.rows, made.isNew))
  }

  /** The parameters that a roll-up is begun with. */
  private val definition = Seq(
    Parameter("time", StringType, "an expression of one row: its time, a TIMESTAMP, TIMESTAMP_NTZ or DATE"),
    Parameter("values", pairs, "what is measured: names, and expressions of one row"),
    Parameter("bucket", StringType, "the width of buckets, as in '1 hour'", Some("CAST(NULL AS STRING)")),
    Parameter("by", texts, "what to group by: columns, or expressions with a name", noTexts),
    Parameter(
      "epsilon",
      DoubleType,
      "the rank error of the sketches, as a share of their values",
      Some("0.01D")
    ),
    Parameter("zone", StringType, "the time zone in which days begin", Some("'UTC'")),
    Parameter(
      "levels",
      texts,
      "widths of buckets, the finest first, instead of bucket: the table has rows of each",
      noTexts
    ),
    Parameter(
      "retention",
      pairs,
      "for each level, how long its rows are kept; without an entry for ever",
      noPairs
    )
  )

  private val rollup = new Procedure(
    "rollup",
    "Brings a roll-up up to the newest version of a table, in one commit. Creates it at first.",
    Seq(
      Parameter(
        "source",
        StringType,
        "the table to follow: a Delta table that keeps a change feed, or an Iceberg table"
      ),
      into.copy(meaning = "the roll-up's own Delta or Iceberg table. The first step creates it")
    ) ++ definition,
    stepColumns,
    refusal,
    call => row(Rollups.follow(SparkSession.active, call.text("into"), planOf(call)))
  )

  private val rollupBatch = new Procedure(
    "rollup_batch",
    "Adds a batch of a stream to a roll-up, in one commit. A batch that was added before changes nothing.",
    Seq(
      Parameter("source", StringType, "the name of a view of the batch"),
      into.copy(meaning = "the roll-up's own Delta or Iceberg table. Batch 0 creates it"),
      Parameter("batch", LongType, "the number of the batch; the first batch of a checkpoint is 0")
    ) ++ definition :+ Parameter(
      "query",
      StringType,
      "the id of the streaming query; by default that of the running query whose batch the view is of",
      Some("CAST(NULL AS STRING)")
    ),
    stepColumns,
    refusal,
    call => {
      val session = SparkSession.active
      val plan = planOf(call)
      val batch = session.table(plan.source)
      if (batch.isStreaming)
        call.refuse("source", "a view of a batch. A stream has batches in foreachBatch", s"'${plan.source}'")
      val number = call.required("batch")(_.getLong(_))
      if (number < 0) call.refuse("batch", "the number of a batch, 0 or more", number.toString)
      row(RollupBatches.add(session, call.text("into"), plan, batch, queryOf(call, batch), number))
    }
  )

  private def queryOf(call: CallArguments, batch: DataFrame): String = {
    val running = RunningStream.of(batch)
    running.foreach { stream =>
      if (stream.mode != OutputMode.Append())
        throw refused(
          "CHRONOSKETCH_ROLLUP_STREAM_UPDATES",
          "query" -> stream.id,
          "mode" -> stream.mode.toString
        )
    }
    val named = Option.when(call.isGiven("query"))(call.text("query"))
    named.foreach { id =>
      if (id.trim.isEmpty) call.refuse("query", "the id of a streaming query", s"'$id'")
      running.filter(_.id != id).foreach(stream =>
        call.refuse("query", s"'${stream.id}', whose batch the source is", s"'$id'")
      )
    }
    running.map(_.id).orElse(named)
      .getOrElse(throw refused("CHRONOSKETCH_ROLLUP_STREAM_UNKNOWN", "source" -> call.text("source")))
  }

  private def planOf(call: CallArguments): RollupPlan = {
    def width(argument: String, text: String): BucketWidth = BucketWidth.parse(text) match {
      case Right(width) => width
      case Left(reason) => call.refuse(argument, reason, s"'$text'")
    }
    val levels = (call.isGiven("bucket"), call.isGiven("levels")) match {
      case (true, true) => call.refuse(
          "levels",
          "left out if bucket is given",
          call.texts("levels").mkString("array('", "', '", "')")
        )
      case (true, false) => Seq(width("bucket", call.text("bucket")))
      case (false, true) => call.texts("levels").map(width("levels", _))
      case _ => call.refuse("bucket", "a width of buckets, as in '1 hour', if levels are not given", "NULL")
    }
    if (levels.isEmpty) call.refuse("levels", "at least one width", "array()")
    levels.zip(levels.drop(1)).foreach { case (finer, coarser) =>
      if (coarser.micros <= finer.micros || coarser.micros % finer.micros != 0)
        call.refuse(
          "levels",
          "widths of which each is a multiple of the one before",
          s"'${finer.level}', '${coarser.level}'"
        )
    }
    val zone = call.text("zone")
    try RollupDefinition.zoneOf(zone)
    catch { case NonFatal(_) => call.refuse("zone", "a time zone, as in 'Europe/Berlin'", s"'$zone'") }
    val epsilon = call.required("epsilon")(_.getDouble(_))
    if (!(epsilon >= 0 && epsilon <= 0.5)) call.refuse("epsilon", "a number from 0 to 0.5", epsilon.toString)
    val values = call.pairs("values")
    if (values.isEmpty)
      call.refuse("values", "at least one value, as in map('latency', 'latency_ms')", "map()")
    val retention = if (call.isGiven("retention")) call.pairs("retention") else Nil
    RollupPlan(
      call.text("source"),
      call.text("time"),
      zone,
      levels,
      if (call.isGiven("by")) call.texts("by") else Nil,
      values,
      epsilon,
      retention.map { case (level, kept) =>
        width("retention", level).level -> interval(call, levels, level, kept)
      }.toMap
    )
  }

  private def interval(
      call: CallArguments,
      levels: Seq[BucketWidth],
      level: String,
      kept: String
  ): Interval = {
    val of = BucketWidth.parse(level).toOption.flatMap(l => levels.find(_.level == l.level))
    if (of.isEmpty) call.refuse(
      "retention",
      s"an interval for one of the levels that there are: ${levels.map(_.level).mkString(", ")}",
      s"'$level'"
    )
    val micros = RollupDefinition.intervalOf(kept).getOrElse(
      call.refuse("retention", "an interval of days or less above 0, as in '400 days'", s"'$kept'")
    )
    Interval(kept.trim, micros)
  }

  private val refresh = new Procedure(
    "refresh",
    "Brings a roll-up up to the newest version of its source, in one commit.",
    Seq(into),
    stepColumns,
    refusal,
    call => row(Rollups.refresh(SparkSession.active, call.text("into")))
  )

  private val rebuild = new Procedure(
    "rebuild",
    "Builds rows of a roll-up anew from its source: all, or the buckets that a range of times touches.",
    Seq(
      into,
      Parameter("from", TimestampType, "the beginning of the range", Some("CAST(NULL AS TIMESTAMP)")),
      Parameter(
        "to",
        TimestampType,
        "the end of the range, which is not in it",
        Some("CAST(NULL AS TIMESTAMP)")
      )
    ),
    stepColumns,
    refusal,
    call => {
      val (from, to) = (call.option("from")(_.getLong(_)), call.option("to")(_.getLong(_)))
      for (start <- from; end <- to if start >= end)
        call.refuse("to", "after from", s"TIMESTAMP '${DateTimeUtils.microsToInstant(end)}'")
      val session = SparkSession.active
      if (from.isEmpty && to.isEmpty) row(Rollups.rebuild(session, call.text("into")))
      else row(Rollups.rebuild(session, call.text("into"), from, to))
    }
  )

  private val madeStep = fields(
    "step" -> LongType,
    "version" -> LongType,
    "ts" -> TimestampType,
    "rows" -> LongType,
    "kind" -> StringType
  )

  private val describe = new Procedure(
    "describe_rollup",
    "Describes a roll-up: what it is of, how fresh it is, its size and its last steps.",
    Seq(into),
    fields(
      "rollup" -> StringType,
      "source" -> StringType,
      "time" -> StringType,
      "zone" -> StringType,
      "levels" -> texts,
      "by" -> texts,
      "values" -> pairs,
      "epsilon" -> DoubleType,
      "retention" -> pairs,
      "version" -> LongType,
      "committed" -> TimestampType,
      "source_version" -> LongType,
      "lag_versions" -> LongType,
      "lag_seconds" -> DoubleType,
      "rows" -> LongType,
      "files" -> LongType,
      "bytes" -> LongType,
      "steps" -> ArrayType(madeStep)
    ),
    refusal,
    call => Seq(describeRollup(SparkSession.active, call.text("into")))
  )

  private def describeRollup(session: SparkSession, name: String): Seq[Any] = {
    val table = RollupTable.open(session, name)
    val definition = table.definition
    val last = table.progress.map(_.source)
    val source = Option.unless(definition.isFed)(Sources.open(session, definition.source, last))
    val newest = source.map(_.latest).filter(_ >= 0)
    val sourceName =
      if (definition.isFed) last.fold("a stream")(batch => StreamBatch.nameOf(batch.identity))
      else definition.source
    // the roll-up lags by the time since the oldest commit that it does not have
    val missing =
      for (table <- source; had <- last if table.latest > had.version) yield table.time(had.version + 1)
    val lag = missing.map(since => (System.currentTimeMillis() * 1000 - since) / 1e6)
    val (files, bytes) = table.size
    def array(all: Seq[String]) = new GenericArrayData(all.map(text))
    def map(all: Seq[(String, String)]) =
      ArrayBasedMapData(all.map(_._1).map(text).toArray, all.map(_._2).map(text).toArray)
    val steps = table.steps.take(10).map { s =>
      InternalRow(s.progress.step, s.progress.source.version, s.micros, s.rows, text(s.progress.kind))
    }
    Seq(
      text(name),
      text(sourceName),
      text(definition.time),
      text(definition.zoneName),
      array(definition.levels.map(_.level)),
      array(definition.by.map(_.expression)),
      map(definition.values.map(v => v.name -> v.expression)),
      definition.epsilon,
      map(definition.levels.flatMap(l => definition.retention.get(l.level).map(l.level -> _.text))),
      last.map(v => Long.box(v.version)).orNull,
      last.filter(_.micros != StreamBatch.NoTime).map(v => Long.box(v.micros)).orNull,
      newest.map(Long.box).orNull,
      newest.map(version => Long.box(version - last.fold(-1L)(_.version))).orNull,
      source.map(_ => Double.box(lag.getOrElse(0.0))).orNull,
      table.rows.count(),
      files,
      bytes,
      new GenericArrayData(steps)
    )
  }

  val all: Seq[Procedure] = Seq(rollup, rollupBatch, refresh, rebuild, describe)
}
