package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.NullType

import chronosketch.Refusal
import chronosketch.spark.aggregate.{RowCode, RowInput, SketchColumn, StoredSketches}
import chronosketch.spark.sql.KeyCodec

/** Generates the Java code that inserts a row into the summaries of its group.
  *
  * @param state        the variable of the groups
  * @param summaries    for each column, the variable of its summaries
  * @param only         for each column, the variable of its single summary if there is a single group; otherwise empty
  * @param batchColumns for each column, the variable of its buffered rows
  */
private final class InsertCode(
    ctx: CodegenContext,
    spec: AggregateSpec,
    state: String,
    summaries: Seq[String],
    only: Seq[String],
    batchColumns: Seq[String]
) {

  /** The code that inserts a row into column i. `bound` generates the code of an expression; it is called only if needed. */
  def insert(
      column: SketchColumn,
      i: Int,
      group: String,
      value: ExprCode,
      bound: Expression => ExprCode
  ): String = column.kind match {
    case _ if spec.mergesParts => unlessNull(value)(s"$state.merge($i, $group, ${value.value});")
    // a NULL literal has this type
    case _ if read(column).exists(_.dataType == NullType) => ""
    case rows: RowInput => unlessNull(value)(insertRow(column, rows, i, group, value, bound))
    case StoredSketches => unlessNull(value)(s"$state.mergeStored($i, $group, ${value.value});")
  }

  /** The expressions that must not be NULL. */
  private def read(column: SketchColumn): Seq[Expression] =
    column.input +: (column.copies ++ column.second ++ column.id).toSeq

  private def unlessNull(value: ExprCode)(body: String): String =
    if (value.isNull == FalseLiteral) body else s"if (!${value.isNull}) {\n$body\n}"

  private def insertRow(
      column: SketchColumn,
      rows: RowInput,
      i: Int,
      group: String,
      value: ExprCode,
      bound: Expression => ExprCode
  ): String = {
    val (key, second, passed) = (ctx.freshName("key"), ctx.freshName("second"), ctx.freshName("passed"))
    // evaluates an expression, and continues with the code of its key unless it is NULL; a number of copies is its own key
    def withKey(e: Option[Expression])(body: Option[String] => String): String = e.fold(body(None)) { e =>
      val code = bound(e)
      val keyCode = KeyCodec.of(e.dataType).get.keyCode(code.value.toString)
      s"${code.code}\n${unlessNull(code)(body(Some(keyCode)))}"
    }
    def put(secondKey: Option[String], id: Option[String], copies: Option[String]): String = {
      val row = RowCode(
        summaries(i),
        Some(only(i)).filter(_.nonEmpty),
        group,
        key,
        secondKey.map(_ => second),
        if (column.conditions.isEmpty) "0" else passed,
        id,
        copies
      )
      val insert =
        if (spec.isBatched) s"${batchColumns(i)}.put(${(Seq(group, key) ++ row.second).mkString(", ")});"
        else rows.insertCode(row)
      s"""
         |long $key = ${rows.codec.keyCode(value.value.toString)};
         |${secondKey.fold("")(code => s"long $second = $code;")}
         |${refusing(i, insert)}
       """.stripMargin
    }
    withKey(column.second) { secondKey =>
      val conditions = passedCode(column, passed, bound)
      val insert = withKey(column.id)(id => withKey(column.copies)(copies => put(secondKey, id, copies)))
      s"$conditions\n$insert"
    }
  }

  /** The code that sets one bit of a new variable for each condition that holds. */
  private def passedCode(column: SketchColumn, passed: String, bound: Expression => ExprCode): String =
    if (column.conditions.isEmpty) ""
    else {
      val tests = column.conditions.zipWithIndex.map { case (e, bit) =>
        val condition = bound(e)
        s"${condition.code}\nif (!${condition.isNull} && ${condition.value}) $passed |= ${1 << bit};"
      }
      s"int $passed = 0;\n${tests.mkString("\n")}"
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
