package chronosketch.spark.advisor

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Paths}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import chronosketch.Refusal

/** The fitted costs of one approach to one aggregate.
  *
  * @param promise    exact, certified or probable
  * @param ranges     the least and greatest measured value of each factor
  * @param worstShare the largest measured error as a share of the allowed one; empty if no error was allowed
  */
final case class Measured(
    aggregate: String,
    approach: String,
    promise: String,
    ranges: Map[String, (Double, Double)],
    worstShare: Option[Double],
    time: Response,
    bytes: Response
)

/** The measured costs of approaches on one machine: a file that `chronosketch calibrate` writes, or the one in the jar. */
final case class CostModel(models: Seq[Measured], source: String) {

  /** The fitted costs of an aggregate, by approach. */
  def of(aggregate: String): Map[String, Measured] =
    models.filter(_.aggregate == aggregate).map(m => m.approach -> m).toMap
}

object CostModel {
  private val Format = 1
  private val Shipped = "/chronosketch/cost-model.json"

  lazy val shipped: CostModel = {
    val in = getClass.getResourceAsStream(Shipped)
    try read(new String(in.readAllBytes(), "UTF-8"), "the cost model of the jar")
    finally in.close()
  }

  def file(path: String): CostModel = {
    val text =
      try Files.readString(Paths.get(path))
      catch {
        case e @ (_: IOException | _: InvalidPathException) =>
          throw damaged(path, s"it can't be read (${e.getClass.getSimpleName})")
      }
    read(text, path)
  }

  private def damaged(source: String, reason: String): Refusal =
    Refusal("CHRONOSKETCH_NO_COST_MODEL", "source" -> source, "reason" -> reason)

  private[advisor] def read(text: String, source: String): CostModel = {
    val root =
      try new ObjectMapper().readTree(text)
      catch { case e: JacksonException => throw damaged(source, s"it is not JSON (${e.getOriginalMessage})") }
    val reader = new Reader(source)
    val format = reader.field(root, "format")
    if (!format.isInt || format.intValue != Format)
      throw damaged(source, s"it has format $format, and this version reads format $Format")
    CostModel(reader.list(root, "models").map(reader.measured), source)
  }

  private final class Reader(source: String) {
    def field(parent: JsonNode, name: String): JsonNode =
      Option(parent).flatMap(node => Option(node.get(name)))
        .getOrElse(throw damaged(source, s"it has no field $name"))

    private def text(node: JsonNode, name: String): String = field(node, name).asText

    private def number(node: JsonNode): Double = {
      val value = if (node.isNumber) node.doubleValue else Double.NaN
      if (value.isNaN || value.isInfinite) throw damaged(source, s"it has $node instead of a number")
      value
    }

    def list(parent: JsonNode, name: String): IndexedSeq[JsonNode] = {
      val node = field(parent, name)
      if (!node.isArray) throw damaged(source, s"$name is not a list")
      node.elements.asScala.toIndexedSeq
    }

    private def oneOf(node: JsonNode, name: String, known: String*): String = {
      val found = text(node, name)
      if (known.contains(found)) found
      else throw damaged(source, s"it has the $name $found, which this version does not know")
    }

    def measured(model: JsonNode): Measured = {
      val responses = field(model, "responses")
      val worst = field(model, "worst_share")
      Measured(
        text(model, "aggregate"),
        text(model, "approach"),
        oneOf(model, "promise", "exact", "certified", "probable"),
        Workload.Factors.map { factor =>
          val ends = list(field(model, "ranges"), factor).map(number)
          if (ends.size != 2) throw damaged(source, s"the range of $factor has ${ends.size} ends")
          factor -> ((ends(0), ends(1)))
        }.toMap,
        Option.unless(worst.isNull)(number(worst)),
        response(field(responses, "time")),
        response(field(responses, "bytes"))
      )
    }

    private def response(node: JsonNode): Response = {
      val terms = list(node, "terms").map { name =>
        Terms.byName.getOrElse(
          name.asText,
          throw damaged(source, s"it has the term $name, which this version does not know")
        )
      }
      val coefficients = list(node, "coefficients").map(number)
      val covariance = list(node, "covariance").map(row => row.elements.asScala.map(number).toIndexedSeq)
      val n = terms.size
      if (n == 0 || coefficients.size != n || covariance.size != n || covariance.exists(_.size != n))
        throw damaged(source, s"it has $n terms and ${coefficients.size} coefficients")
      Response(
        oneOf(node, "form", "sum", "power") == "power",
        oneOf(node, "noise", "constant", "proportional") == "proportional",
        terms,
        coefficients,
        covariance,
        number(field(node, "scale")),
        number(field(node, "t")),
        number(field(node, "smallest"))
      )
    }
  }
}
