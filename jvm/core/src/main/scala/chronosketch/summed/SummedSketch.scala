package chronosketch.summed

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.Meter
import chronosketch.moments.MomentsSketch
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary._

/** A quantile sketch with the sums of its values: answers quantiles and ranks, and also sum, mean and variance.
  *
  * Guarantee  quantiles and ranks as in [[GreenwaldKhanna]], sums as in [[MomentsSketch]]
  * Cost       each value is inserted into both. Stored, it has some 20 to 60 bytes more than the quantile sketch: both share the
  *            count and the ends
  * Units      keys of `domain`
  * Merge      if both parts can be merged. The union with a quantile sketch without sums has none ([[reducedTo]])
  */
final class SummedSketch private[summed] (
    val family: SummedFamily,
    val quantileSketch: GreenwaldKhanna,
    val moments: MomentsSketch
) extends Inserts
    with Ranked
    with Moments {
  type Same = SummedSketch

  private var recipe = SummedRecipe(quantileSketch.header)

  def domain: Domain = quantileSketch.domain
  def epsilon: Double = quantileSketch.epsilon
  def count: Long = quantileSketch.count
  def newEmpty: SummedSketch = header.empty

  def header: SummedRecipe = {
    // kept, because one recipe encodes the sketches of a million groups
    if (recipe.quantiles ne quantileSketch.header) recipe = SummedRecipe(quantileSketch.header)
    recipe
  }

  def insert(key: Long): Unit = {
    quantileSketch.insert(key)
    moments.insert(key)
  }

  def insertAll(keys: Array[Long], from: Int, until: Int): Unit = {
    quantileSketch.insertAll(keys, from, until)
    moments.insertAll(keys, from, until)
  }

  def insert(key: Long, copies: Long): Unit = {
    quantileSketch.insert(key, copies)
    moments.insert(key, copies)
  }

  private[chronosketch] override def bufferedKeys(most: Int): BufferedKeys = quantileSketch.bufferedKeys(most)

  protected def mergeChecked(that: SummedSketch, wider: Domain): Unit = {
    quantileSketch.merge(that.quantileSketch)
    moments.merge(that.moments)
  }

  /** The quantile sketch alone if the other family has no sums. */
  override def reducedTo(other: Family[Summary]): Summary = other match {
    case _: SummedFamily => this
    case _ => quantileSketch
  }

  override def castObstacle(cast: Cast): Option[String] =
    quantileSketch.castObstacle(cast).orElse(moments.castObstacle(cast))

  def castBy(cast: Cast): SummedSketch =
    new SummedSketch(family, quantileSketch.castBy(cast), moments.castBy(cast))

  def profile: RankProfile = quantileSketch.profile

  override def quantile(phi: Phi): Long = quantileSketch.quantile(phi)

  def moment(which: Moment): Option[Double] = moments.moment(which)

  def momentBounds(which: Moment): Option[MomentBounds] = moments.momentBounds(which)

  /** Thins a union that will be stored to about the size of a sketch that was built, within ε. */
  def compact(): Unit = quantileSketch.compact()

  def meteredBy(owner: Meter): Unit = {
    quantileSketch.meteredBy(owner)
    moments.meteredBy(owner)
  }

  def write(writer: Wire.Writer): Unit = {
    quantileSketch.write(writer)
    moments.writeSums(writer)
  }
}
