package chronosketch.spark.warehouse.answers

import org.apache.spark.sql.types._

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.sql.SqlValues
import chronosketch.warehouse.{KnownRanks, Search}

/** What is asked of each group: some answers, each of which may have rows read. */
private[warehouse] sealed trait Wanted {

  /** What SQL calls it. */
  def function: String

  /** Columns of an answer, which follow those of `by`. */
  def columns: Seq[StructField]
  def size: Int
  def text: String

  /** Where the i-th answer is looked for; nowhere if it is known beforehand. */
  def search(i: Int, runs: IndexedSeq[KnownRanks], sum: RankProfile, beside: RankProfile): Option[Search]

  /** Its columns, from what is certain then. */
  def answer(i: Int, profile: RankProfile): Seq[Any]
}

/** The quantiles of values of a type. */
private[warehouse] final case class Quantiles(phis: Seq[Phi], valueType: DataType) extends Wanted {
  private lazy val values: SqlValues = SqlValues.of(valueType).get

  def function: String = "warehouse_quantile"
  def columns: Seq[StructField] = AnswerColumns.ofQuantile(valueType)
  def size: Int = phis.size
  def text: String = s"phi ${phis.mkString(", ")}"

  def search(
      i: Int,
      runs: IndexedSeq[KnownRanks],
      sum: RankProfile,
      beside: RankProfile
  ): Option[Search] = Some(Search.ofQuantile(runs, sum, beside, phis(i)))

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

/** How many elements are at most a value.
  *
  * @param asked     the values, of the type `askedType`
  * @param keys      of each the greatest key that is not above it; none where all are
  */
private[warehouse] final case class Ranks(asked: Seq[Any], askedType: DataType, keys: Seq[Option[Long]])
    extends Wanted {
  def function: String = "warehouse_rank"
  def columns: Seq[StructField] = AnswerColumns.ofRank(askedType)
  def size: Int = asked.size
  def text: String = s"ranks of ${asked.mkString(", ")}"

  def search(
      i: Int,
      runs: IndexedSeq[KnownRanks],
      sum: RankProfile,
      beside: RankProfile
  ): Option[Search] = keys(i).map(Search.ofRank(runs, sum, beside, _))

  def answer(i: Int, profile: RankProfile): Seq[Any] = {
    val (low, high) = keys(i).fold((0L, 0L))(key => profile.rankBounds(profile.position(key)))
    Seq(asked(i), low, high)
  }
}
