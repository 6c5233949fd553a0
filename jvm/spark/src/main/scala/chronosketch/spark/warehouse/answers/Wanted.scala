package chronosketch.spark.warehouse.answers

import org.apache.spark.sql.types._

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.sql.SqlValues
import chronosketch.warehouse.{KnownRanks, Search}

/** The answers that a query wants for each group. Some of them may need rows to be read. */
private[warehouse] sealed trait Wanted {

  /** The name of the SQL function. */
  def function: String

  /** The columns of an answer, which follow those of `by`. */
  def columns: Seq[StructField]
  def size: Int
  def text: String

  /** The search for the i-th answer; None if the answer is known without reading. `live` are the rank bounds of the elements that are not
    * in `runs`.
    */
  def search(i: Int, runs: IndexedSeq[KnownRanks], sum: RankProfile, live: RankProfile): Option[Search]

  /** The columns of the i-th answer, given the rank bounds. */
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
  * @param asked     the values, of type `askedType`
  * @param keys      for each value the greatest key that is not above it; None if all are
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
      live: RankProfile
  ): Option[Search] = keys(i).map(Search.ofRank(runs, sum, live, _))

  def answer(i: Int, profile: RankProfile): Seq[Any] = {
    val (low, high) = keys(i).fold((0L, 0L))(key => profile.rankBounds(profile.position(key)))
    Seq(asked(i), low, high)
  }
}
