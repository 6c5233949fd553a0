package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.spark.aggregate.RowInput
import chronosketch.spark.rows.{KeyNumbers, KeyTuples, LongKey, LongKeys, RowKeys, TextKeys}

/** Generates the Java code of one aggregation: a loop that finds a row's group and inserts its values, and a loop that outputs groups.
  *
  * Rows are inserted until the input or the memory is exhausted; then groups are output. If rows are left, the child is resumed where
  * it stopped. The same happens if an output row still waits downstream.
  */
private[spark] final class AggregateCode(
    ctx: CodegenContext,
    plan: SketchAggregateExec,
    spec: AggregateSpec
) {
  private val aggregation = ctx.addReferenceObj("aggregation", spec)
  private val state =
    field(classOf[AggregateState].getName, "groups", v => s"$v = $aggregation.newState();")
  private val keys =
    if (!spec.isKeyed) ""
    else if (spec.numbersKeys) field(classOf[KeyTuples].getName, "keys", v => s"$v = $state.keyTuples();")
    else field(classOf[RowKeys].getName, "keys", v => s"$v = $state.rowKeys();")
  // for each column, the variables of its keys' numbers and of the numbers of the pairs that end at it
  private val numbered: Seq[Int] = if (spec.numbersKeys) spec.keys.indices else Nil
  private val columnNumbers =
    numbered.map(i => numbers("columnNumbers", classOfNumbers(i), s"ofColumn($i)"))
  private val pairNumbers =
    numbered.map(i => if (i == 0) "" else numbers("pairNumbers", classOf[LongKeys], s"ofPairs($i)"))
  // only rows are inserted by generated code; the state itself merges bytes
  private val summaries = spec.columns.zipWithIndex.map { case (column, i) =>
    column.kind match {
      case rows: RowInput if !spec.mergesParts =>
        val summariesClass = rows.summariesClass.getName
        field(summariesClass, "summaries", v => s"$v = ($summariesClass) $state.summaries($i);")
      case _ => ""
    }
  }

  private val batch =
    if (spec.isBatched) field(classOf[RowBatch].getName, "batch", v => s"$v = $state.batch();") else ""
  private val batchColumns = spec.columns.zipWithIndex.map { case (column, i) =>
    if (!spec.isBatched) ""
    else {
      val columnClass =
        (if (column.second.isEmpty) classOf[BatchColumn] else classOf[TimedColumn]).getName
      field(columnClass, "batchColumn", v => s"$v = ($columnClass) $batch.column($i);")
    }
  }

  // without keys each column has a single summary from the beginning; it gets a variable of its own
  private val only = spec.columns.zipWithIndex.map { case (column, i) =>
    column.kind.summaryClass.filterNot(_ => spec.isKeyed || spec.mergesParts).fold("") { summaryClass =>
      val name = summaryClass.getName
      field(name, "summary", v => s"$v = ($name) ${summaries(i)}.summary(0);")
    }
  }
  private val buffers = new BufferCode(ctx, plan.bufferAttributes, spec, state)
  private val inserting = new InsertCode(ctx, spec, state, summaries, only, batchColumns)
  private val drain = ctx.freshName("drain")
  private var drainCall = ""

  private def isText(key: Int): Boolean = TextKeys.fit(spec.keys(key))

  private def classOfNumbers(key: Int): Class[_ <: KeyNumbers] =
    if (isText(key)) classOf[TextKeys] else classOf[LongKeys]

  private def numbers(name: String, numbersClass: Class[_ <: KeyNumbers], call: String): String =
    field(numbersClass.getName, name, v => s"$v = (${numbersClass.getName}) $keys.$call;")

  private def field(javaType: String, name: String, initial: String => String): String =
    ctx.addMutableState(javaType, name, initial, forceInline = true)

  // ---- output of groups

  def produce(
      answers: Seq[Attribute],
      buffer: Seq[Attribute],
      results: Seq[Expression],
      resultInput: Seq[Attribute]
  ): String = {
    val put = putOut(answers, buffer, results, resultInput)
    val (group, all) = (ctx.freshName("group"), ctx.freshName("all"))
    // call a helper by the name that Spark returns: if this class is full, Spark puts it into a nested class
    drainCall = ctx.addNewFunction(
      drain,
      s"""
         |private void $drain(boolean $all) throws java.io.IOException {
         |  int $group;
         |  while (($group = $state.next()) >= 0) {
         |    $put($group);
         |    if (!$all && shouldStop()) return;
         |  }
         |}
       """.stripMargin
    )
    val fill = ctx.freshName("fillGroups")
    val fillCall = ctx.addNewFunction(
      fill,
      s"""
         |private void $fill(int partitionIndex) throws java.io.IOException {
         |  ${plan.produceChild(ctx)}
         |}
       """.stripMargin
    )
    val time = plan.metric(ctx, "aggTime")
    val began = ctx.freshName("began")
    s"""
       |while ($state.isDraining() || !$state.isExhausted()) {
       |  if (!$state.isDraining()) {
       |    long $began = System.nanoTime();
       |    $fillCall(partitionIndex);
       |    ${buffers.store}
       |    $time.add((System.nanoTime() - $began) / 1000000L);
       |    // groups that were handed on early wait downstream
       |    if (shouldStop()) return;
       |    if (!$state.isDraining()) $state.finish();
       |  }
       |  $drainCall(false);
       |  if (shouldStop()) return;
       |}
     """.stripMargin
  }

  /** Adds the method that outputs one group and returns its name. */
  private def putOut(
      answers: Seq[Attribute],
      buffer: Seq[Attribute],
      results: Seq[Expression],
      resultInput: Seq[Attribute]
  ): String = {
    val group = ctx.freshName("group")
    ctx.currentVars = null
    val (keyCode, keyVars) = keysOf(group)
    val answerVars = answers.zipWithIndex.map { case (a, i) => answerOf(i, a.dataType, group) }
    val row = ctx.freshName("buffer")
    ctx.INPUT_ROW = row
    val bufferVars =
      buffer.zipWithIndex.map { case (b, i) => BoundReference(i, b.dataType, b.nullable).genCode(ctx) }
    ctx.INPUT_ROW = null
    val all = keyVars ++ answerVars ++ bufferVars
    val evaluated = all.map(_.code.toString).mkString("\n")
    all.foreach(_.code = EmptyBlock)
    ctx.currentVars = all
    val resultVars = BindReferences.bindReferences(results, resultInput).map(_.genCode(ctx))
    val put = ctx.freshName("putOut")
    val declared =
      if (buffer.isEmpty) "" else s"UnsafeRow $row = $state.buffer($group);"
    ctx.addNewFunction(
      put,
      s"""
         |private void $put(int $group) throws java.io.IOException {
         |  ${plan.metric(ctx, "numOutputRows")}.add(1);
         |  $keyCode
         |  $declared
         |  $evaluated
         |  ${plan.consumeGroup(ctx, resultVars)}
         |}
       """.stripMargin
    )
  }

  private def keysOf(group: String): (String, Seq[ExprCode]) =
    if (!spec.isKeyed) ("", Nil)
    else if (spec.numbersKeys) {
      val (lines, vars) = numbered.map(numberedKeyOf(_, group)).unzip
      (lines.mkString("\n"), vars)
    } else {
      val row = ctx.freshName("keyRow")
      ctx.INPUT_ROW = row
      val vars = spec.keys.zipWithIndex.map { case (t, i) =>
        BoundReference(i, t, nullable = true).genCode(ctx)
      }
      (s"UnsafeRow $row = $keys.row($group);", vars)
    }

  private def numberedKeyOf(i: Int, group: String): (String, ExprCode) = {
    val dataType = spec.keys(i)
    val javaType = CodeGenerator.javaType(dataType)
    val (number, isNull) = (ctx.freshName("number"), ctx.freshName("keyIsNull"))
    val value = ctx.freshName("key")
    val read =
      if (isText(i)) s"${columnNumbers(i)}.text($number)"
      else LongKey.of(dataType).get.valueCode(s"${columnNumbers(i)}.key($number)")
    val code =
      s"""
         |int $number = $keys.number($i, $group);
         |boolean $isNull = ${columnNumbers(i)}.isNull($number);
         |$javaType $value = $isNull ? ${CodeGenerator.defaultValue(dataType)} : $read;
       """.stripMargin
    (code, ExprCode(JavaCode.isNullVariable(isNull), JavaCode.variable(value, dataType)))
  }

  private def answerOf(i: Int, dataType: DataType, group: String): ExprCode = {
    val value = ctx.freshName("answer")
    if (!spec.isFinal) {
      ExprCode(
        code"byte[] ${JavaCode.variable(value, BinaryType)} = $state.seal($i, $group);",
        FalseLiteral,
        JavaCode.variable(value, BinaryType)
      )
    } else {
      val (boxed, isNull) = (ctx.freshName("boxed"), ctx.freshName("isNull"))
      val boxedType = CodeGenerator.boxedType(dataType)
      val default = CodeGenerator.defaultValue(dataType)
      ExprCode(
        code"""
          Object $boxed = $state.answer($i, $group);
          boolean $isNull = $boxed == null;
          ${CodeGenerator.javaType(dataType)} $value = $isNull ? $default : ($boxedType) $boxed;
        """,
        JavaCode.isNullVariable(isNull),
        JavaCode.variable(value, dataType)
      )
    }
  }

  // ---- input of rows

  def consumeRow(
      input: Seq[ExprCode],
      grouping: Seq[Expression],
      inputAttributes: Seq[Attribute],
      buffer: Seq[Attribute]
  ): String = {
    val group = ctx.freshName("group")
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val keys = BindReferences.bindReferences(grouping, inputAttributes)
    val find = if (spec.isBatched) s"int $group = $batch.row();" else findGroup(group, keys)
    val row = ctx.freshName("buffer")
    val attributes = buffer ++ inputAttributes
    ctx.currentVars = buffers.variables ++ input
    ctx.INPUT_ROW = if (buffers.isInRow) row else null
    val blocks = updates(group, row, attributes)
    val declared = if (buffers.isInRow) s"UnsafeRow $row = $state.buffer($group);" else ""
    val partialFlush =
      if (!spec.flushesPartially) ""
      // a child that cannot be paused produces rows while groups are being output: then output all remaining groups at once
      else s"if ($state.isDraining()) $drainCall(true);"
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val end = if (spec.isBatched) endRow(keys) else s"$state.countRows(1);"
    val full =
      if (spec.isBatched || !(spec.isKeyed || spec.keepsParts)) ""
      else if (spec.flushesPartially) {
        s"if (!$state.requestMemory()) { $state.freeOrSpill(); if ($state.isDraining()) $drainCall(false); }"
      } else s"if (!$state.requestMemory()) $state.freeOrSpill();"
    s"""
       |$partialFlush
       |$find
       |$declared
       |$blocks
       |$end
       |$full
     """.stripMargin
  }

  /** Adds a row's key to the batch, after its values are already there. */
  private def endRow(bound: Seq[Expression]): String = {
    val key = lastKey(bound)
    val free =
      s"if (!$state.requestMemory()) { $state.freeOrSpill(); if ($state.isDraining()) $drainCall(false); }"
    // the texts of a batch can take more memory than its rows
    val (always, ifFull) = if (spec.keys.exists(TextKeys.fit)) (free, "") else ("", free)
    s"""
       |${key.code}
       |if (${key.in(s"$batch.add", s"$batch.addNull")}) {
       |  $state.flush();
       |  $ifFull
       |}
       |$always
     """.stripMargin
  }

  private def findGroup(group: String, bound: Seq[Expression]): String =
    if (!spec.isKeyed) s"int $group = 0;"
    else if (spec.numbersKeys) {
      val key = lastKey(bound)
      val all = if (bound.length == 1) columnNumbers.head else pairNumbers.last
      s"${key.code}\n${key.numbered(group, all)}"
    } else {
      val key = GenerateUnsafeProjection.createCode(ctx, bound)
      s"""
         |${key.code}
         |int $group = $keys.find(${key.value});
       """.stripMargin
    }

  /** The last key of a row that remains to be looked up: the only key, or the last pair. */
  private def lastKey(bound: Seq[Expression]): KeyVariable = {
    def keyAt(i: Int): KeyVariable = {
      val key = bound(i).genCode(ctx)
      val value = key.value.toString
      KeyVariable(
        key.code.toString,
        key.isNull.toString,
        if (isText(i)) s"((long) ${columnNumbers(i)}.number($value))"
        else LongKey.of(bound(i).dataType).get.keyCode(value)
      )
    }
    bound.indices.drop(1).foldLeft(keyAt(0)) { (before, i) =>
      val (left, right) = (ctx.freshName("left"), ctx.freshName("right"))
      val after = keyAt(i)
      val leftNumbers = if (i == 1) columnNumbers.head else pairNumbers(i - 1)
      KeyVariable(
        s"""
           |${before.code}
           |${before.numbered(left, leftNumbers)}
           |${after.code}
           |${after.numbered(right, columnNumbers(i))}
         """.stripMargin,
        FalseLiteral.toString,
        s"${classOf[KeyTuples].getName}.pair($left, $right)"
      )
    }
  }

  private def updates(group: String, row: String, attributes: Seq[Attribute]): String = {
    def bind(e: Expression): Expression = BindReferences.bindReference(e, attributes)
    val offsets = plan.functions.scanLeft(0)((at, f) => at + plan.changesOf(f).length)
    val functions = plan.functions.zip(offsets).map { case (f, from) =>
      val changes = plan.changesOf(f)
      Update(
        if (spec.mergesParts) None else f.filter.map(bind),
        changes.map(bind),
        values => buffers.write(row, from, changes, values)
      )
    }
    val columns = plan.columns.zipWithIndex.map { case (column, i) =>
      // if the value is NULL, its frequency, time and pair are not evaluated
      def bound(e: Expression) = bind(e).genCode(ctx)
      Update(
        column.filter.map(bind),
        Seq(bind(column.input)),
        values => inserting.insert(column, i, group, values.head, bound)
      )
    }
    val all = functions ++ columns
    // common subexpressions leave out filtered updates: a guarded expression must not be evaluated before its filter
    val shared =
      ctx.subexpressionEliminationForWholeStageCodegen(all.filter(_.filter.isEmpty).flatMap(_.reads))
    val common = ctx.evaluateSubExprEliminationState(shared.states.values)
    val texts = all.map { update =>
      val values =
        if (update.filter.nonEmpty) update.reads.map(_.genCode(ctx))
        else ctx.withSubExprEliminationExprs(shared.states)(update.reads.map(_.genCode(ctx)))
      val body = s"${values.map(_.code).mkString("\n")}\n${update.write(values)}"
      update.filter.fold(s"{\n$body\n}") { filter =>
        val passes = filter.genCode(ctx)
        s"{\n${passes.code}\nif (!${passes.isNull} && ${passes.value}) {\n$body\n}\n}"
      }
    }
    s"$common\n${texts.mkString("\n")}"
  }
}

/** Java code for a key of 64 bits. */
private final case class KeyVariable(code: String, isNull: String, key: String) {

  /** Java code that calls one method with the key, or another one if the key is NULL. */
  def in(call: String, nullCall: String): String =
    if (isNull == FalseLiteral.toString) s"$call($key)" else s"$isNull ? $nullCall() : $call($key)"

  def numbered(number: String, numbers: String): String =
    s"int $number = ${in(s"$numbers.find", s"$numbers.findNull")};"
}

/** The update by one row of the buffer of a Spark function, or of a sketch column. */
private final case class Update(
    filter: Option[Expression],
    reads: Seq[Expression],
    write: Seq[ExprCode] => String
)
