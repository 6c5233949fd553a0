package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.NullType

import chronosketch.Refusal
import chronosketch.spark.aggregate.{
  Collected,
  PairedValues,
  SketchColumn,
  StoredSketches,
  TimedValues,
  Values
}
import chronosketch.spark.sql.SqlValues

/** Generates the Java code that inserts a row into the summaries of its group.
  *
  * @param state        the variable of the groups
  * @param summaries    for each column, the variable of its summaries
  * @param only         for each column, the variable of its single summary if there is a single group; otherwise empty
  * @param batchColumns for each column, the variable of its buffered rows
  */
private final class CollectCode(
    ctx: CodegenContext,
    spec: AggregateSpec,
    state: String,
    summaries: Seq[String],
    only: Seq[String],
    batchColumns: Seq[String]
) {

  /** The code that inserts a row into column i. `bound` generates the code of an expression; it is called only if needed. */
  def collect(
      column: SketchColumn,
      i: Int,
      group: String,
      value: ExprCode,
      bound: Expression => ExprCode
  ): String = {
    def present(body: String): String =
      if (value.isNull == FalseLiteral) body else s"if (!${value.isNull}) {\n$body\n}"
    column.collected match {
      case _ if spec.isFinal => present(s"$state.merge($i, $group, ${value.value});")
      case StoredSketches => if (column.input.dataType == NullType) ""
        else present(s"$state.mergeStored($i, $group, ${value.value});")
      case Values(_, NullType) | TimedValues(_, NullType) | PairedValues(_, NullType) => ""
      case _: PairedValues if column.beside.exists(_.dataType == NullType) => ""
      case values: PairedValues =>
        present(insertPair(column, values, i, group, values.door.keyCode(value.value.toString), bound))
      case values: TimedValues =>
        present(insertTimed(column, values, i, group, values.door.keyCode(value.value.toString), bound))
      case values: Values =>
        val key = values.door.keyCode(value.value.toString)
        present(column.copies match {
          case None => insert(i, group, key)
          case Some(e) if e.dataType == NullType => ""
          case Some(copies) =>
            val n = bound(copies)
            s"${n.code}\nif (!${n.isNull}) $state.insert($i, $group, $key, (long) ${n.value});"
        })
    }
  }

  private def insertTimed(
      column: SketchColumn,
      values: TimedValues,
      i: Int,
      group: String,
      keyCode: String,
      bound: Expression => ExprCode
  ): String = {
    val (key, at, passed) = (ctx.freshName("key"), ctx.freshName("time"), ctx.freshName("passed"))
    val time = bound(column.beside.get)
    val timeCode = secondKeyCode(column, time)
    val tests = column.conditions.zipWithIndex.map { case (e, bit) =>
      val condition = bound(e)
      s"${condition.code}\nif (!${condition.isNull} && ${condition.value}) $passed |= ${1 << bit};"
    }
    def summary = summaryOf(values, i, group)
    val put = column.id match {
      case None if spec.isBatched => s"${batchColumns(i)}.put($group, $key, $at);"
      case None => refusing(i, s"$summary.insert($key, $at, $passed);")
      case Some(e) if e.dataType == NullType => ""
      case Some(e) =>
        val id = bound(e)
        val idCode = SqlValues.of(e.dataType).get.keyCode(id.value.toString)
        s"${id.code}\nif (!${id.isNull}) {\n${refusing(i, s"$summary.insertRow($key, $at, $idCode);")}\n}"
    }
    s"""
       |${time.code}
       |if (!${time.isNull}) {
       |  int $passed = 0;
       |  ${tests.mkString("\n")}
       |  long $key = $keyCode;
       |  long $at = $timeCode;
       |  $put
       |}
     """.stripMargin
  }

  private def insertPair(
      column: SketchColumn,
      values: PairedValues,
      i: Int,
      group: String,
      keyCode: String,
      bound: Expression => ExprCode
  ): String = {
    val (key, second) = (ctx.freshName("key"), ctx.freshName("other"))
    val other = bound(column.beside.get)
    s"""
       |${other.code}
       |if (!${other.isNull}) {
       |  long $key = $keyCode;
       |  long $second = ${secondKeyCode(column, other)};
       |  ${refusing(i, s"${summaryOf(values, i, group)}.insertPair($key, $second);")}
       |}
     """.stripMargin
  }

  private def secondKeyCode(column: SketchColumn, other: ExprCode): String =
    SqlValues.of(column.beside.get.dataType).get.keyCode(other.value.toString)

  /** The summary of a group, cast to its class. */
  private def summaryOf(collected: Collected, i: Int, group: String): String =
    if (only(i).nonEmpty) only(i)
    else s"((${collected.summaryClass.get.getName}) ${summaries(i)}.summary($group))"

  private def insert(i: Int, group: String, keyCode: String): String = {
    val key = ctx.freshName("key")
    val put =
      if (spec.isBatched) s"${batchColumns(i)}.put($group, $key);"
      else if (only(i).nonEmpty) s"${only(i)}.insert($key);" else s"${summaries(i)}.insert($group, $key);"
    s"""
       |long $key = $keyCode;
       |${refusing(i, put)}
     """.stripMargin
  }

  private def refusing(i: Int, put: String): String = {
    val refusal = ctx.freshName("refusal")
    s"""
       |try {
       |  $put
       |} catch (${classOf[Refusal].getName} $refusal) {
       |  throw $state.refused($i, $refusal);
       |}
     """.stripMargin
  }
}
