package chronosketch.spark.table

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession

import chronosketch.spark.FunctionTable

/** Finds which family answers which query, by running every query function on a sketch of every family. */
final class FamilyAnswers(spark: SparkSession) {
  private val builders = Seq(
    "quantile_sketch_agg(id)",
    "window_sketch_agg(id, id)",
    "sketch_window(window_sketch_agg(id, id), 10)",
    "qlove_sketch_agg(id, id, 0.5, 1)",
    "ddsketch_agg(id)",
    "moments_agg(id)",
    "comoments_agg(id, id % 7)",
    "window_moments_agg(id, id)",
    "sketch_window(window_moments_agg(id, id), 10)",
    "sample_sketch_agg(id)",
    "window_sample_agg(id, id)",
    "history_sketch_agg(id, id)",
    "sketch_at_version(history_sketch_agg(id, id), 100)",
    "sketch_from_histogram(sequence(10, 100, 10), array_append(array_repeat(10, 10), 0))"
  )

  private val withSums = Map("quantile_sketch_agg(id)" -> "quantile_sketch_agg(id, sum => true)")

  private val sketches = {
    val named = builders.zipWithIndex.flatMap { case (builder, i) =>
      s"$builder AS s$i" +: withSums.get(builder).map(sums => s"$sums AS sums$i").toSeq
    }
    val built = spark.sql(named.mkString("SELECT ", ", ", " FROM range(1, 101)"))
    spark.createDataFrame(built.collectAsList(), built.schema)
  }

  /** The functions that build the sketches, or derive them from others. */
  val columns: Seq[String] = builders.map { builder =>
    val names = builder.split('(').dropRight(1)
    // name a function that derives from several kinds of sketches together with its argument
    if (builders.count(_.startsWith(s"${names.head}(")) > 1) names.mkString("", "(", ")") else names.head
  }

  private val questions: Seq[SqlFunction[_]] =
    FunctionTable.all.filter(_.arguments.headOption.exists(_.name == "sketch"))
      .filter(_.group == SqlFunction.Scalars)

  /** The values for arguments that are not sketches. */
  private val asked =
    Map(
      "phi" -> "0.5",
      "value" -> "50",
      "points" -> "array(10, 50)",
      "window" -> "5",
      "version" -> "50",
      "moment" -> "'sum'",
      "type" -> "'double'"
    )

  /** Each query function, and whether a sketch of each of the [[columns]] answers it: "yes", the argument that makes it answer, or "–". */
  val rows: Seq[(String, Seq[String])] = questions.map { question =>
    val others = question.arguments.tail.filter(_.default.isEmpty).map(a => asked(a.name))
    def isAnsweredBy(sketch: String): Boolean =
      isAnswered((sketch +: others).mkString(s"${question.name}(", ", ", ")"))
    question.name -> builders.zipWithIndex.map { case (builder, i) =>
      if (isAnsweredBy(s"s$i")) "yes"
      else if (withSums.contains(builder) && isAnsweredBy(s"sums$i")) "with `sum => true`"
      else "–"
    }
  }

  private def isAnswered(call: String): Boolean =
    try {
      val answer = sketches.selectExpr(call).head().get(0)
      require(answer != null, s"$call answers NULL")
      true
    } catch {
      case refused: SparkThrowable if FamilyAnswers.Unable.contains(refused.getCondition) => false
    }
}

private object FamilyAnswers {
  val Unable: Set[String] =
    Set("QUESTION_NOT_ANSWERED", "NO_SUMS", "WHICH_VERSION", "NOT_CASTABLE").map("CHRONOSKETCH_" + _)
}
