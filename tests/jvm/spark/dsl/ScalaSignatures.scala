package chronosketch.spark.dsl

import scala.reflect.runtime.{universe => types}

import org.apache.spark.sql.Column

import chronosketch.summary.Parameter

/** The signatures of the Scala functions of an object, as the compiler stored them. */
final class ScalaSignatures(owner: AnyRef) {
  private val ownerType = types.runtimeMirror(getClass.getClassLoader).classSymbol(owner.getClass).toType

  /** The defaults of a function's parameters, by their places from 1 on. Of its overloads at most one has some. */
  def defaults(name: String): Map[Int, Any] = {
    val getter = (name + "\\$default\\$(\\d+)").r
    owner.getClass.getMethods.toSeq.flatMap { m =>
      getter.unapplySeq(m.getName).map(groups => groups.head.toInt -> m.invoke(owner))
    }.toMap
  }

  /** A line for each overload: the one with defaults first, the one of columns alone last. None where there is no such function. */
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
    val known = defaults(method.name.toString)
    val parameters = method.paramLists.flatten.zipWithIndex.map { case (p, i) =>
      val default = if (isWithDefault(p)) s" = ${text(known(i + 1))}" else ""
      s"${p.name}: ${withoutPackages(p.typeSignature)}$default"
    }
    s"${method.name}(${parameters.mkString(", ")}): ${withoutPackages(method.returnType)}"
  }

  private def withoutPackages(of: types.Type): String =
    of.toString.replaceAll("\\b[\\w$]+\\.", "").replace(",", ", ")

  /** A default as a user would write it. */
  private def text(default: Any): String = default match {
    case span: SpanArgument => text(span.column)
    case column: Column => s"lit(${column.toString.toLowerCase})"
    case constant: String => s"\"$constant\""
    case number: Double => Parameter.text(number)
    case none: Map[_, _] if none.isEmpty => "Map.empty"
    case none: Seq[_] if none.isEmpty => "Nil"
    case constant => constant.toString
  }
}
