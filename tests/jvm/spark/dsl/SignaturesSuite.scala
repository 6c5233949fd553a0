package chronosketch.spark.dsl

import java.lang.reflect.{Method, Modifier}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{Column, Dataset}

import chronosketch.Suite
import chronosketch.spark.table.SqlFunction
import chronosketch.spark.{FunctionTable, functions, tables}

/** Tests that the names, the parameters, the defaults and the texts of the Scala functions agree with the function table. */
class SignaturesSuite extends Suite {
  private val owners = Seq[AnyRef](functions, tables)
  private val methods: Seq[Method] = owners.flatMap(_.getClass.getMethods).filter(m =>
    Modifier.isPublic(m.getModifiers) && Set[Class[_]](
      classOf[Column],
      classOf[Dataset[_]]
    )(m.getReturnType) &&
      !m.getName.contains("$") && !m.getName.startsWith("hopping")
  )

  // in Scala, hopping takes rows and aggregates, and in SQL one query of both
  private val compared: Seq[SqlFunction[_]] =
    FunctionTable.all ++ FunctionTable.tables.filterNot(_.name == "hopping")

  private def overloads(f: SqlFunction[_]): Seq[Method] = methods.filter(_.getName == f.name)

  /** The parameters of a method, by their SQL names. Those of table functions begin with the session. */
  private def parameters(m: Method): Seq[String] = m.getParameters.toSeq.map { p =>
    assert(p.isNamePresent, m.toString)
    p.getName match {
      case "typeName" => "type" // a keyword in Scala
      case name => name.replaceAll("([A-Z])", "_$1").toLowerCase
    }
  }

  private def names(m: Method): Seq[String] = parameters(m).filterNot(_ == "spark")

  /** The defaults of a function's parameters, by their SQL names. At most one of the overloads has defaults. */
  private def defaults(f: SqlFunction[_]): Map[String, Any] = {
    val found = owners.flatMap(new ScalaSignatures(_).defaults(f.name)).toMap
      .map { case (at, default) => at -> value(default) }
    val parameterLists =
      overloads(f).filter(_.getParameterCount >= found.keys.maxOption.getOrElse(0)).map(parameters).distinct
    found.map { case (at, default) =>
      val called = parameterLists.map(_(at - 1)).distinct
      assertEquals(called.size, 1, s"${f.name}: $parameterLists")
      called.head -> default
    }
  }

  /** A default value in the form of the table's literals. */
  private def value(default: Any): Any = default match {
    case c: Column => assertEquals(c.toString, "NULL"); null
    case span: SpanArgument => value(span.column)
    case none: Map[_, _] => assert(none.isEmpty); null
    case constant => constant
  }

  private val sources: Seq[String] = {
    val folder = Path.of("jvm/spark/src/main/scala/chronosketch/spark/dsl")
    Using.resource(Files.list(folder))(_.iterator.asScala.map(p => Files.readString(p)).toList)
  }

  /** The first lines of the Scaladoc above each definition of a name; an empty line if there is none. */
  private def firstLines(name: String): Seq[String] = {
    val definition =
      s"(?s)(?:/\\*\\* ([^\\n]*?)(?: \\*/)?\\n(?:(?!\\*/|/\\*\\*|\\bdef\\b).)*(?:\\*/\\s*)?)?\\bdef $name\\(".r
    sources.flatMap(definition.findAllMatchIn(_).map(m => Option(m.group(1)).getOrElse("")))
  }

  test("every function of the table has a method, and every method is a function of the table") {
    assertEquals(methods.map(_.getName).toSet, compared.map(_.name).toSet)
  }

  compared.foreach { f =>
    val arguments = f.arguments.map(_.name)

    test(s"${f.name}: the names and the order of parameters equal SQL's") {
      overloads(f).foreach { m =>
        val taken = names(m)
        assertEquals(taken, arguments.filter(taken.contains), m.toString)
        // each parameter without a default is in every overload
        assertEquals(f.arguments.filter(_.default.isEmpty).map(_.name).diff(taken), Nil, m.toString)
      }
      assert(overloads(f).exists(names(_) == arguments), f.name)
    }

    test(s"${f.name}: defaults equal SQL's, and parameters that are optional in SQL are optional in Scala") {
      val ours = defaults(f)
      f.arguments.foreach { a =>
        ours.get(a.name) match {
          case Some(default) => assertEquals(
              Option(default),
              a.default.map(_.value).flatMap(Option(_)).map {
                case text: org.apache.spark.unsafe.types.UTF8String => text.toString
                case other => other
              }
            )
          case None =>
            assertEquals(overloads(f).exists(!names(_).contains(a.name)), a.default.nonEmpty, a.name)
        }
      }
    }

    test(s"${f.name}: every Scaladoc begins with the summary of the SQL function") {
      val lines = firstLines(f.name)
      assertEquals(lines.size, overloads(f).size)
      assertEquals(lines.toSet, Set(f.summary))
    }
  }
}
