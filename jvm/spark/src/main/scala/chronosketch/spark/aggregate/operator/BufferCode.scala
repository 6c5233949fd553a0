package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/** Generates the Java code that reads and writes the buffers of Spark's own functions.
  *
  * The buffer of a group is a row. Without grouping keys, the only buffer is in fields while rows are inserted, because they are read
  * and written faster.
  */
private[operator] final class BufferCode(
    ctx: CodegenContext,
    attributes: Seq[Attribute],
    spec: AggregateSpec,
    state: String
) {
  private val onlyRow = s"$state.buffer(0)"
  private val fields =
    if (spec.isKeyed || spec.mergesParts) Nil else attributes.zipWithIndex.map { case (a, i) => field(a, i) }

  def isInRow: Boolean = attributes.nonEmpty && fields.isEmpty

  /** The variables of the buffer's columns; null if they are read from a row. */
  def variables: Seq[ExprCode] = if (isInRow) attributes.map(_ => null) else fields

  private def field(column: Attribute, i: Int): ExprCode = {
    def declare(javaType: String, name: String, value: String): String =
      ctx.addMutableState(javaType, name, v => s"$v = $value;", forceInline = true)
    val isNull = declare(CodeGenerator.JAVA_BOOLEAN, "bufferIsNull", s"$onlyRow.isNullAt($i)")
    val default = CodeGenerator.defaultValue(column.dataType)
    val read = CodeGenerator.getValue(onlyRow, column.dataType, i.toString)
    val value =
      declare(
        CodeGenerator.javaType(column.dataType),
        "buffered",
        s"$onlyRow.isNullAt($i) ? $default : $read"
      )
    ExprCode(JavaCode.isNullGlobal(isNull), JavaCode.global(value, column.dataType))
  }

  /** Java code that writes the new values of the columns from position `from` on. */
  def write(row: String, from: Int, changes: Seq[Expression], values: Seq[ExprCode]): String =
    if (isInRow)
      values.zip(changes).zipWithIndex.map { case ((v, change), i) =>
        CodeGenerator.updateColumn(row, change.dataType, from + i, v, change.nullable)
      }.mkString("\n")
    else {
      // read all values first: one may be that of another field
      val (reads, writes) = fields.slice(from, from + values.length).zip(values).map { case (f, v) =>
        val (isNull, value) = (ctx.freshName("isNull"), ctx.freshName("changed"))
        val read =
          s"boolean $isNull = ${v.isNull}; ${CodeGenerator.typeName(v.value.javaType)} $value = ${v.value};"
        (read, s"${f.isNull} = $isNull; ${f.value} = $value;")
      }.unzip
      (reads ++ writes).mkString("\n")
    }

  /** Java code that writes the fields into the row of the only group. */
  def store: String = fields.zip(attributes).zipWithIndex.map { case ((f, column), i) =>
    CodeGenerator.updateColumn(onlyRow, column.dataType, i, f, nullable = true)
  }.mkString("\n")
}
