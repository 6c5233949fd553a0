package chronosketch.spark.warehouse.call

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.domain.Domain
import chronosketch.spark.sql.Procedure.Parameter
import chronosketch.spark.sql.{CallArguments, Procedure, Span}
import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.manifest.{ErrorLimits, MemoryLimits}
import chronosketch.warehouse.MemoryShares

/** The procedures that CALL can run on a warehouse. This is the only list of them. */
private[call] object Procedures {
  private val warehouse = Parameter("warehouse", StringType, "the path or the name of a warehouse")

  private def table(columns: (String, DataType)*): StructType =
    StructType(columns.map { case (name, dataType) => StructField(name, dataType) })

  private def procedure(
      name: String,
      description: String,
      parameters: Seq[Parameter],
      result: StructType,
      run: CallArguments => Seq[Seq[Any]]
  ) = new Procedure(name, description, parameters, result, "CHRONOSKETCH_WAREHOUSE_ARGUMENT", run)

  private def open(call: CallArguments): Warehouse =
    Warehouse.open(SparkSession.active, call.text("warehouse"))

  private def text(value: Any): UTF8String = UTF8String.fromString(value.toString)

  private val create = procedure(
    "create",
    "Creates an empty warehouse in a folder that has none.",
    Seq(
      warehouse,
      Parameter("value", StringType, "the column that is measured"),
      Parameter(
        "by",
        ArrayType(StringType),
        "the columns that rows are grouped by",
        Some("CAST(array() AS ARRAY<STRING>)")
      ),
      Parameter(
        "epsilon",
        DoubleType,
        s"the rank error allowed for answers from summaries, as a share of the rows; ${Warehouse.Epsilon.default} if no memory is given",
        Some("CAST(NULL AS DOUBLE)")
      ),
      Parameter(
        "kappa",
        IntegerType,
        "the maximal number of runs in a level",
        Some(s"${Warehouse.Kappa.default.toInt}")
      ),
      Parameter(
        "if_not_exists",
        BooleanType,
        "whether to open the warehouse if one with the same settings exists already",
        Some("false")
      ),
      Parameter(
        "store",
        StringType,
        "the store of the manifest: files, or delta if the file system has no create-if-absent",
        Some("'files'")
      ),
      Parameter(
        "memory",
        StringType,
        "the memory that all summaries may take, as in '256m', instead of epsilon",
        Some("CAST(NULL AS STRING)")
      ),
      Parameter(
        "steps",
        LongType,
        "the maximal number of steps that share the memory",
        Some(s"${Warehouse.Steps}L")
      )
    ),
    table("warehouse" -> StringType),
    call => Seq(Seq(text(createWarehouse(call).path)))
  )

  private def createWarehouse(call: CallArguments): Warehouse = {
    val session = SparkSession.active
    val (path, value, by) = (call.text("warehouse"), call.text("value"), call.texts("by"))
    val kappa = call.required("kappa")(_.getInt(_))
    val ifNotExists = call.required("if_not_exists")(_.getBoolean(_))
    val store = call.text("store")
    val epsilon = call.option("epsilon")(_.getDouble(_))
    if (!call.isGiven("memory"))
      Warehouse.create(
        session,
        path,
        value,
        by,
        epsilon.getOrElse(Warehouse.Epsilon.default),
        kappa,
        ifNotExists,
        store
      )
    else if (epsilon.nonEmpty)
      call.refuse(
        "epsilon",
        "NULL if memory is given, because memory decides how accurate the answers are",
        epsilon.get.toString
      )
    else {
      val memory = call.bytes("memory")
      Warehouse.createWithin(
        session,
        path,
        value,
        by,
        memory,
        call.required("steps")(_.getLong(_)),
        kappa,
        ifNotExists,
        store
      )
    }
  }

  private val writerBatch = Seq(
    Parameter(
      "writer",
      StringType,
      "the name of the writer: a repeat of its last batch is recognised",
      Some("CAST(NULL AS STRING)")
    ),
    Parameter(
      "batch",
      LongType,
      "the number of the writer's batch, which increases: a number below the last is an error",
      Some("CAST(NULL AS BIGINT)")
    )
  )

  private def batch(call: CallArguments): Option[(String, Long)] =
    Option.when(call.isGiven("writer") || call.isGiven("batch"))(
      call.text("writer") -> call.required("batch")(_.getLong(_))
    )

  private val append = procedure(
    "append",
    "Adds the rows of a table or view as one step, in one commit.",
    Seq(
      warehouse,
      Parameter("source", StringType, "the name of a table or view"),
      Parameter(
        "step",
        LongType,
        "a number greater than those of all existing steps; by default the next one",
        Some("CAST(NULL AS BIGINT)")
      )
    ) ++ writerBatch,
    table(
      "step" -> LongType,
      "rows" -> LongType,
      "nulls" -> LongType,
      "version" -> LongType,
      "is_new" -> BooleanType
    ),
    call => {
      val rows = SparkSession.active.table(call.text("source"))
      val appended = open(call).append(rows, long(call, "step"), batch(call))
      Seq(Seq(appended.step, appended.rows, appended.nulls, appended.version, appended.isNew))
    }
  )

  private val endStep = procedure(
    "end_step",
    "Ends the step that streams write to: its live batches become one sorted run. If there are none, the result is empty.",
    Seq(warehouse),
    table("step" -> LongType, "rows" -> LongType, "nulls" -> LongType, "version" -> LongType),
    call =>
      open(call).endStep().toSeq.map(ended => Seq(ended.step, ended.rows, ended.nulls, ended.version))
  )

  private val compact = procedure(
    "compact",
    "Ends a step whose time is over, and merges levels that have more than kappa runs or live batches.",
    Seq(warehouse),
    table("merged" -> IntegerType),
    call => Seq(Seq(open(call).compact()))
  )

  private val retain = procedure(
    "retain",
    "Drops the runs that are older than the last n steps.",
    Seq(warehouse, Parameter("steps", LongType, "the number of steps to keep, in addition to the open one")),
    table("rows" -> LongType),
    call => Seq(Seq(open(call).retain(call.required("steps")(_.getLong(_)))))
  )

  private val step = Parameter(
    "step",
    LongType,
    "the first step; by default all steps, of the groups that meet the condition",
    Some("CAST(NULL AS BIGINT)")
  )
  private val lastStep = Parameter(
    "last_step",
    LongType,
    "the last step; by default the same as step",
    Some("CAST(NULL AS BIGINT)")
  )
  private val where = Parameter(
    "where",
    StringType,
    "a condition on columns of by, as SQL text; by default all groups",
    Some("CAST(NULL AS STRING)")
  )

  private def long(call: CallArguments, name: String): Option[Long] = call.option(name)(_.getLong(_))
  private def condition(call: CallArguments): Option[String] =
    call.option("where")(_.getUTF8String(_).toString)

  private val replace = procedure(
    "replace",
    "Puts the rows of a table or view in place of those of steps, of groups, or of groups in steps, in one commit.",
    Seq(
      warehouse,
      Parameter("source", StringType, "the name of a table or view"),
      step,
      lastStep,
      where
    ) ++ writerBatch,
    table(
      "step" -> LongType,
      "rows" -> LongType,
      "nulls" -> LongType,
      "deleted" -> LongType,
      "version" -> LongType,
      "is_new" -> BooleanType
    ),
    call => {
      val rows = SparkSession.active.table(call.text("source"))
      val replaced = open(call)
        .replace(rows, long(call, "step"), long(call, "last_step"), condition(call), batch(call))
      Seq(Seq(
        replaced.step,
        replaced.rows,
        replaced.nulls,
        replaced.deleted,
        replaced.version,
        replaced.isNew
      ))
    }
  )

  private val delete = procedure(
    "delete",
    "Deletes the rows of steps, of groups, or of groups in steps, in one commit. Call vacuum to delete their files.",
    Seq(warehouse, where, step, lastStep),
    table("rows" -> LongType, "version" -> LongType),
    call => {
      val deleted = open(call).delete(condition(call), long(call, "step"), long(call, "last_step"))
      Seq(Seq(deleted.rows, deleted.version))
    }
  )

  private val vacuum = procedure(
    "vacuum",
    "Deletes the files that are needed by no version that was current within the grace period.",
    Seq(warehouse, Parameter("grace", StringType, "the grace period: an interval as text", Some("'1 day'"))),
    table("deleted" -> IntegerType),
    call => {
      val grace = Span.of("vacuum", "grace", Literal(call.text("grace"))).in(Domain.Timestamp)
      Seq(Seq(open(call).vacuum(grace / 1000).size))
    }
  )

  private val register = procedure(
    "register",
    "Registers a name for a warehouse in the session, and creates views of its newest version.",
    Seq(
      warehouse,
      Parameter("name", StringType, "the name to use in place of the path: letters, digits and _")
    ),
    table("version" -> LongType),
    call => Seq(Seq(open(call).register(call.text("name"))))
  )

  private val windows = procedure(
    "windows",
    "Lists the windows, back from the newest step, that are answered as exactly as all steps.",
    Seq(warehouse),
    table(
      "steps" -> LongType,
      "first_step" -> LongType,
      "last_step" -> LongType,
      "rows" -> LongType,
      "live_rows" -> LongType
    ),
    call => open(call).windows.map(w => Seq(w.steps, w.firstStep, w.lastStep, w.rows, w.live))
  )

  private val describe = procedure(
    "describe",
    "Describes a warehouse: its settings, its state and its size.",
    Seq(warehouse),
    table(
      "warehouse" -> StringType,
      "id" -> StringType,
      "value" -> StringType,
      "by" -> ArrayType(StringType),
      "epsilon" -> DoubleType,
      "memory" -> LongType,
      "memory_plan" -> StringType,
      "summary_bytes" -> LongType,
      "kappa" -> IntegerType,
      "version" -> LongType,
      "runs" -> IntegerType,
      "steps" -> LongType,
      "last_step" -> LongType,
      "rows" -> LongType,
      "nulls" -> LongType,
      "bytes" -> LongType,
      "live_batches" -> IntegerType,
      "live_rows" -> LongType,
      "step_ends" -> TimestampType,
      "commits" -> StringType
    ),
    call => {
      val described = open(call)
      val state = described.state
      val defined = state.definition
      val (epsilon, shares) = defined.limits match {
        case error: ErrorLimits => (Some(error.epsilon), None)
        case MemoryLimits(shared) => (None, Some(shared))
      }
      Seq(Seq(
        text(described.path),
        text(defined.id),
        text(defined.value),
        new GenericArrayData(defined.by.map(text)),
        epsilon.map(Double.box).orNull,
        shares.map(s => Long.box(s.bytes)).orNull,
        shares.map(s => text(describeShares(s))).orNull,
        state.entries.flatMap(_.summary).map(_.bytes).sum,
        defined.kappa,
        state.version,
        state.runs.size,
        state.runs.map(_.steps).sum,
        state.lastStep.map(Long.box).orNull,
        state.rows,
        state.nulls,
        state.bytes,
        state.live.size,
        state.live.map(_.rows).sum,
        state.open.flatMap(_.untilMicros).map(Long.box).orNull,
        text(described.standsOn)
      ))
    }
  )

  private def describeShares(shares: MemoryShares): String =
    s"half for runs and half for live batches; ${shares.steps} steps with kappa ${shares.kappa} make at most ${shares.runs} runs " +
      s"at once; the oldest run gets ${shares.bytesOfRun(1)} bytes for its summaries, and the n-th run an n-th of that; " +
      "live batches get equal shares"

  val all: Seq[Procedure] =
    Seq(create, append, replace, delete, endStep, compact, retain, vacuum, register, windows, describe)
}
