package chronosketch.spark.dsl

import scala.reflect.runtime.{universe => types}

import org.apache.spark.sql.Column

import chronosketch.summary.Parameter

/** Reads the signatures of an object's Scala functions from what the compiler stored. */
final class ScalaSignatures(owner: AnyRef) {
  private val ownerType = types.runtimeMirror(getClass.getClassLoader).classSymbol(owner.getClass).toType

  /** The defaults of a function's parameters, by position from 1 on. At most one of the overloads has defaults. */
  def defaults(name: String): Map[Int, Any] = {
    val getter = (name + "\\$default\\$(\\d+)").r
    owner.getClass.getMethods.toSeq.flatMap { m =>
      getter.unapplySeq(m.getName).map(groups => groups.head.toInt -> m.invoke(owner))
    }.toMap
  }

  /** A line for each overload: the one with defaults first, the one with only columns last. Empty if no function has the name. */
  def of(name: String): Seq[String] = {
    val overloads = ownerType.member(types.TermName(name)).alternatives.filter(_.isPublic).map(_.asMethod)
    overloads.sortBy { m =>
      val parameters = m.paramLists.flatten
      (!parameters.exists(isWithDefault), parameters.forall(isColumn), parameters.size)
    }.map(line)
  }

  private def isWithDefault(parameter: types.Symbol): Boolean = parameter.asTerm.isParamWithDefault

  private def isColumn(parameter: types.Symbol): Boolean = parameter.typeSignature =:= types.typeOf[Column]

  private def line(method: types.MethodSymbol): String = {
    val defaultsByPosition = defaults(method.name.toString)
    val parameters = method.paramLists.flatten.zipWithIndex.map { case (p, i) =>
      val default = if (isWithDefault(p)) s" = ${text(defaultsByPosition(i + 1))}" else ""
      s"${p.name}: ${withoutPackages(p.typeSignature)}$default"
    }
    s"${method.name}(${parameters.mkString(", ")}): ${withoutPackages(method.returnType)}"
  }

  private def withoutPackages(signature: types.Type): String =
    signature.toString.replaceAll("\\b[\\w$]+\\.", "").replace(",", ", ")

  /** A default value as a user would write it. */
  private def text(default: Any): String = default match {
    case span: SpanArgument => text(span.column)
    case column: Column => s"lit(${column.toString.toLowerCase})"
    case null => "null"
    case constant: String => s"\"$constant\""
    case number: Double => Parameter.text(number)
    case none: Map[_, _] if none.isEmpty => "Map.empty"
    case none: Seq[_] if none.isEmpty => "Nil"
    case constant => constant.toString
  }
}
