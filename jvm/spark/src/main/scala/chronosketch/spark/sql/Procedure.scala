package chronosketch.spark.sql

import java.util.{Collections, Iterator => JavaIterator}

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.connector.catalog.procedures._
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types._

/** A procedure: its parameters, and a function that runs it and returns the rows of its result. It runs once, when it is called.
  *
  * @param refusal
  *   the condition of errors about an argument
  */
private[spark] final class Procedure(
    override val name: String,
    override val description: String,
    parameterList: Seq[Procedure.Parameter],
    resultSchema: StructType,
    refusal: String,
    run: CallArguments => Seq[Seq[Any]]
) extends UnboundProcedure
    with BoundProcedure {
  override def bind(types: StructType): BoundProcedure = this
  override def isDeterministic: Boolean = false

  override def parameters: Array[ProcedureParameter] = parameterList.map { p =>
    val parameter = ProcedureParameter.in(p.name, p.dataType).comment(p.meaning)
    p.default.fold(parameter)(parameter.defaultValue).build()
  }.toArray

  override def call(input: InternalRow): JavaIterator[Scan] = {
    val result = run(new CallArguments(name, parameterList, refusal, input)).map(InternalRow.fromSeq).toArray
    val scan: Scan = new LocalScan {
      override def rows(): Array[InternalRow] = result
      override def readSchema(): StructType = resultSchema
    }
    Collections.singletonList(scan).iterator()
  }
}

private[spark] object Procedure {

  /** A parameter of a procedure. If it is optional, `default` is its default as SQL. */
  final case class Parameter(
      name: String,
      dataType: DataType,
      meaning: String,
      default: Option[String] = None
  )
}

/** The arguments of a call, by parameter name. */
private[spark] final class CallArguments(
    procedure: String,
    parameters: Seq[Procedure.Parameter],
    refusal: String,
    input: InternalRow
) {
  private def index(name: String): Int = parameters.indexWhere(_.name == name)

  def isGiven(name: String): Boolean = !input.isNullAt(index(name))

  def option[A](name: String)(read: (InternalRow, Int) => A): Option[A] =
    Option.when(isGiven(name))(read(input, index(name)))

  def required[A](name: String)(read: (InternalRow, Int) => A): A = option(name)(read).getOrElse {
    refuse(name, s"a value of type ${parameters(index(name)).dataType.sql}", "NULL")
  }

  def refuse(name: String, required: String, sql: String): Nothing = throw Conditions.analysisError(
    refusal,
    CurrentOrigin.get,
    "function" -> procedure,
    "argument" -> name,
    "required" -> required,
    "sql" -> sql
  )

  /** Parses a number of bytes, with or without a unit. */
  def bytes(name: String): Long =
    try JavaUtils.byteStringAsBytes(text(name))
    catch {
      case _: NumberFormatException =>
        refuse(name, "a whole number of bytes, or one with k, m, g, as in '256m'", s"'${text(name)}'")
    }

  /** A map of texts, in the order in which it was written. */
  def pairs(name: String): Seq[(String, String)] = required(name) { (row, i) =>
    val map = row.getMap(i)
    val (keys, values) = (map.keyArray(), map.valueArray())
    (0 until map.numElements()).map { j =>
      if (values.isNullAt(j)) refuse(name, "a map without NULL", s"map('${keys.getUTF8String(j)}', NULL)")
      keys.getUTF8String(j).toString -> values.getUTF8String(j).toString
    }
  }

  def text(name: String): String = required(name)(_.getUTF8String(_).toString)
  def texts(name: String): Seq[String] = required(name) { (row, i) =>
    val array = row.getArray(i)
    (0 until array.numElements()).map(j => if (array.isNullAt(j)) "" else array.getUTF8String(j).toString)
  }
}
