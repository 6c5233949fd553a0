package chronosketch.spark.advisor

import java.nio.file.Files

import chronosketch.spark.conditions.Case

/** The messages for invalid calls of chronosketch_advise and for invalid cost models. */
object AdviceConditions {
  private def ask(arguments: String): String = s"SELECT * FROM chronosketch_advise($arguments)"

  private def argument(name: String, arguments: String, text: String): Case =
    Case(name, ask(arguments), "CHRONOSKETCH_ADVICE_ARGUMENT", "22023", text)

  private def file(text: String): String =
    Files.writeString(Files.createTempFile("cost", ".json"), text).toString.replace("\\", "/")

  private def damaged(text: String, reason: String): Case = {
    val path = file(text)
    Case(
      s"a cost model: $reason",
      ask(s"'quantile', 1000, 10, model => '$path'"),
      "CHRONOSKETCH_NO_COST_MODEL",
      "22023",
      s"chronosketch_advise can't predict costs from $path, because $reason. Write a model with `chronosketch calibrate`, and pass the path of its cost-model.json as model => '...'."
    )
  }

  val ours: Seq[Case] = Seq(
    argument(
      "an aggregate that there is not",
      "'mode', 1000, 10",
      "chronosketch_advise was given \"mode\" as its aggregate. It must be one of 'average', 'count', 'covariance', 'kurtosis', 'median', 'quantile', 'skewness', 'stddev', 'sum', 'variance'."
    ),
    argument(
      "an hour without a rate",
      "'quantile', '1 hour', '1 minute'",
      "chronosketch_advise was given \"1 hour\" as its retention. It must be a whole number of rows, unless you give a rate."
    ),
    argument(
      "a slide beyond the window",
      "'quantile', 10, 1000",
      "chronosketch_advise was given \"1000\" as its slide. It must be no longer than the retention."
    ),
    argument(
      "an epsilon of 1",
      "'quantile', 1000, 10, epsilon => 1",
      "chronosketch_advise was given \"1\" as its epsilon. It must be a number from 0 (exact) to below 1."
    ),
    argument("a delta of 0", "'quantile', 1000, 10, delta => 0", ""),
    argument("a rate of 0", "'quantile', 1000, 10, rate => 0", ""),
    argument("a rate that is text", "'quantile', 1000, 10, rate => 'much'", ""),
    argument(
      "memory that is no size",
      "'quantile', 1000, 10, memory => 'much'",
      "chronosketch_advise was given \"much\" as its memory. It must be a size above 0, as in '64m'."
    ),
    Case(
      "a missing cost model",
      ask("'quantile', 1000, 10, model => '/no/such.json'"),
      "CHRONOSKETCH_NO_COST_MODEL",
      "22023",
      "chronosketch_advise can't predict costs from /no/such.json, because it can't be read (NoSuchFileException). Write a model with `chronosketch calibrate`, and pass the path of its cost-model.json as model => '...'."
    ),
    damaged("{\"format\": 2, \"models\": []}", "it has format 2, and this version reads format 1"),
    damaged("{\"format\": 1}", "it has no field models"),
    damaged("[1]", "it has no field format"),
    damaged("{\"format\": 1, \"models\": []}", "it has no measurements of quantile"),
    damaged(
      "{\"format\": 1, \"models\": [{\"aggregate\": \"sum\"}]}",
      "it has no field responses"
    )
  )
}
