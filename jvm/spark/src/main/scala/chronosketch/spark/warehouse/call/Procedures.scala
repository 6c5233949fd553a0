package chronosketch.spark.warehouse.call

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.domain.Domain
import chronosketch.spark.sql.Span
import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.call.WarehouseProcedure.Parameter
import chronosketch.spark.warehouse.manifest.{ErrorLimits, MemoryLimits}
import chronosketch.warehouse.MemoryShares

/** THE list of procedures: what CALL can do to a warehouse, and what it tells of one. */
private[call] object Procedures {
  private val warehouse = Parameter("warehouse", StringType, "the path or the name of a warehouse")

  private def table(columns: (String, DataType)*): StructType =
    StructType(columns.map { case (name, dataType) => StructField(name, dataType) })

  private def opened(call: Given): Warehouse = Warehouse.open(SparkSession.active, call.text("warehouse"))

  private def text(of: Any): UTF8String = UTF8String.fromString(of.toString)

  private val create = new WarehouseProcedure(
    "create",
    "Makes an empty warehouse in a folder that has none.",
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
        s"the rank error allowed to answers from summaries, as a share of the rows; ${Warehouse.Epsilon.default} where no memory is given",
        Some("CAST(NULL AS DOUBLE)")
      ),
      Parameter(
        "kappa",
        IntegerType,
        "how many runs a level has at most",
        Some(s"${Warehouse.Kappa.default.toInt}")
      ),
      Parameter(
        "if_not_exists",
        BooleanType,
        "whether one that is there already, and is the same in all this, is opened",
        Some("false")
      ),
      Parameter(
        "store",
        StringType,
        "what keeps its manifest: files, or delta where a file can't be put only if there is none",
        Some("'files'")
      ),
      Parameter(
        "memory",
        StringType,
        "what all summaries may take, as in '256m', in place of epsilon",
        Some("CAST(NULL AS STRING)")
      ),
      Parameter(
        "steps",
        LongType,
        "how many steps share the memory at most",
        Some(s"${Warehouse.Steps}L")
      )
    ),
    table("warehouse" -> StringType),
    call => Seq(Seq(text(created(call).path)))
  )

  private def created(call: Given): Warehouse = {
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
        "NULL when memory is given, because memory decides how close the answers are",
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

  private val append = new WarehouseProcedure(
    "append",
    "Adds the rows of a table or view as one step, in one commit.",
    Seq(
      warehouse,
      Parameter("source", StringType, "the name of a table or view"),
      Parameter(
        "step",
        LongType,
        "a number above those of all steps; the next one where it is left out",
        Some("CAST(NULL AS BIGINT)")
      ),
      Parameter(
        "writer",
        StringType,
        "who writes: a repeat of its last batch is recognised",
        Some("CAST(NULL AS STRING)")
      ),
      Parameter(
        "batch",
        LongType,
        "the number of the writer's batch, which rises: one below the last is an error",
        Some("CAST(NULL AS BIGINT)")
      )
    ),
    table(
      "step" -> LongType,
      "rows" -> LongType,
      "nulls" -> LongType,
      "version" -> LongType,
      "is_new" -> BooleanType
    ),
    call => {
      val batch = Option.when(call.isGiven("writer") || call.isGiven("batch"))(
        call.text("writer") -> call.required("batch")(_.getLong(_))
      )
      val rows = SparkSession.active.table(call.text("source"))
      val appended = opened(call).append(rows, call.option("step")(_.getLong(_)), batch)
      Seq(Seq(appended.step, appended.rows, appended.nulls, appended.version, appended.isNew))
    }
  )

  private val endStep = new WarehouseProcedure(
    "end_step",
    "Ends the step that streams write to: what is live becomes one sorted run. Where nothing is live, there is no row.",
    Seq(warehouse),
    table("step" -> LongType, "rows" -> LongType, "nulls" -> LongType, "version" -> LongType),
    call =>
      opened(call).endStep().toSeq.map(ended => Seq(ended.step, ended.rows, ended.nulls, ended.version))
  )

  private val compact = new WarehouseProcedure(
    "compact",
    "Ends a step whose time is over, and merges where a level has more than kappa runs or live batches.",
    Seq(warehouse),
    table("merged" -> IntegerType),
    call => Seq(Seq(opened(call).compact()))
  )

  private val retain = new WarehouseProcedure(
    "retain",
    "Forgets the runs that have none of the last so many steps.",
    Seq(warehouse, Parameter("steps", LongType, "how many steps stay, beside the one that is open")),
    table("rows" -> LongType),
    call => Seq(Seq(opened(call).retain(call.required("steps")(_.getLong(_)))))
  )

  private val vacuum = new WarehouseProcedure(
    "vacuum",
    "Deletes what no version needs that was current within a time back from now.",
    Seq(warehouse, Parameter("grace", StringType, "how long back: an interval as text", Some("'1 day'"))),
    table("deleted" -> IntegerType),
    call => {
      val grace = Span.of("vacuum", "grace", Literal(call.text("grace"))).in(Domain.Timestamp)
      Seq(Seq(opened(call).vacuum(grace / 1000).size))
    }
  )

  private val register = new WarehouseProcedure(
    "register",
    "Lets the session know a warehouse by a name, and makes views of its newest version.",
    Seq(
      warehouse,
      Parameter("name", StringType, "letters, digits and _: what stands for the path from now on")
    ),
    table("version" -> LongType),
    call => Seq(Seq(opened(call).register(call.text("name"))))
  )

  private val windows = new WarehouseProcedure(
    "windows",
    "Lists the windows, back from the newest step, that answers are as exact of as of all.",
    Seq(warehouse),
    table(
      "steps" -> LongType,
      "first_step" -> LongType,
      "last_step" -> LongType,
      "rows" -> LongType,
      "live_rows" -> LongType
    ),
    call => opened(call).windows.map(w => Seq(w.steps, w.firstStep, w.lastStep, w.rows, w.live))
  )

  private val describe = new WarehouseProcedure(
    "describe",
    "Tells what a warehouse is, and how large.",
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
      val of = opened(call)
      val state = of.state
      val defined = state.definition
      val (epsilon, shares) = defined.limits match {
        case of: ErrorLimits => (Some(of.epsilon), None)
        case MemoryLimits(of) => (None, Some(of))
      }
      Seq(Seq(
        text(of.path),
        text(defined.id),
        text(defined.value),
        new GenericArrayData(defined.by.map(text)),
        epsilon.map(Double.box).orNull,
        shares.map(s => Long.box(s.bytes)).orNull,
        shares.map(s => text(planOf(s))).orNull,
        state.lines.flatMap(_.summary).map(_.bytes).sum,
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
        text(of.standsOn)
      ))
    }
  )

  private def planOf(shares: MemoryShares): String =
    s"half for runs, half for live batches; of ${shares.steps} steps with kappa ${shares.kappa} there are at most ${shares.runs} " +
      s"runs at once: ${shares.ofRun(1)} bytes for the summaries of the oldest, an n-th of it for the n-th; live batches share alike"

  val all: Seq[WarehouseProcedure] =
    Seq(create, append, endStep, compact, retain, vacuum, register, windows, describe)
}
