package chronosketch.spark.warehouse.answers

import org.apache.spark.sql.types._

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.sql.KeyCodec
import chronosketch.warehouse.{KnownRanks, Search}

/** The answers that a query gives for each group: which columns they have, how to search for them and how to compute them. */
private[warehouse] sealed trait GroupAnswers {

  /** The name of the SQL function. */
  def function: String

  /** The columns of an answer, which follow those of `by`. */
  def columns: Seq[StructField]

  /** The number of answers for each group. */
  def size: Int

  /** Describes the answers in EXPLAIN. */
  def text: String

  /** The search for the i-th answer; None if the answer is known without reading. `live` are the rank bounds of the elements that are not
    * in `runs`.
    */
  def search(i: Int, runs: IndexedSeq[KnownRanks], sum: RankProfile, live: RankProfile): Option[Search]

  /** The columns of the i-th answer, given the rank bounds. */
  def answer(i: Int, profile: RankProfile): Seq[Any]
}

/** The quantiles of values of a type. */
private[warehouse] final case class QuantileAnswers(phis: Seq[Phi], valueType: DataType)
    extends GroupAnswers {
  private lazy val values: KeyCodec = KeyCodec.of(valueType).get

  def function: String = "warehouse_quantile"
  def columns: Seq[StructField] = AnswerColumns.ofQuantile(valueType)
  def size: Int = phis.size
  def text: String = s"phi ${phis.mkString(", ")}"

  def search(
      i: Int,
      runs: IndexedSeq[KnownRanks],
      sum: RankProfile,
      live: RankProfile
  ): Option[Search] = Some(Search.ofQuantile(runs, sum, live, phis(i)))

  def answer(i: Int, profile: RankProfile): Seq[Any] = {
    val phi = phis(i)
    val found =
      if (profile.isEmpty) Seq[Any](null, null, null, null)
      else {
        val (low, high) = profile.quantileBounds(phi)
        val at = profile.quantileIndex(phi)
        Seq(profile.key(at), low, high).map(values.value) :+ profile.errorOf(phi, at)
      }
    phi.decimal.doubleValue +: found
  }
}

/** The ranks of values: how many elements are at most each value.
  *
  * @param values the given values, of type `dataType`
  * @param keys   for each value the greatest key that is not above it; None if all are
  */
private[warehouse] final case class RankAnswers(values: Seq[Any], dataType: DataType, keys: Seq[Option[Long]])
    extends GroupAnswers {
  def function: String = "warehouse_rank"
  def columns: Seq[StructField] = AnswerColumns.ofRank(dataType)
  def size: Int = values.size
  def text: String = s"ranks of ${values.mkString(", ")}"

  def search(
      i: Int,
      runs: IndexedSeq[KnownRanks],
      sum: RankProfile,
      live: RankProfile
  ): Option[Search] = keys(i).map(Search.ofRank(runs, sum, live, _))

  def answer(i: Int, profile: RankProfile): Seq[Any] = {
    val (low, high) = keys(i).fold((0L, 0L))(key => profile.rankBounds(profile.position(key)))
    Seq(values(i), low, high)
  }
}

/** The columns of an answer, which follow those of `by`. */
private[warehouse] object AnswerColumns {

  /** The columns of a quantile. `valueType` is the type of the warehouse's values. */
  def ofQuantile(valueType: DataType): Seq[StructField] = Seq(
    StructField("phi", DoubleType, nullable = false),
    StructField("value", valueType),
    StructField("low", valueType),
    StructField("high", valueType),
    StructField("rank_error", LongType)
  ) ++ common

  /** The columns of a rank. `dataType` is the type of the given values. */
  def ofRank(dataType: DataType): Seq[StructField] = Seq(
    StructField("value", dataType),
    StructField("rank_low", LongType, nullable = false),
    StructField("rank_high", LongType, nullable = false)
  ) ++ common

  private def common: Seq[StructField] = Seq(
    StructField("count_low", LongType, nullable = false),
    StructField("count_high", LongType, nullable = false),
    StructField("rows_read", LongType, nullable = false),
    StructField("rows_total", LongType, nullable = false),
    StructField("bytes_read", LongType, nullable = false),
    StructField("bytes_total", LongType, nullable = false),
    StructField("version", LongType, nullable = false),
    StructField("accuracy", StringType, nullable = false)
  )

  val Names: Seq[String] = (ofQuantile(LongType) ++ ofRank(LongType)).map(_.name).distinct
}
