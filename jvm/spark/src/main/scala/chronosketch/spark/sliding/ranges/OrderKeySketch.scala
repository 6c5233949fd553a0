package chronosketch.spark.sliding.ranges

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.quantile.{GreenwaldKhanna, QuantileSketch}
import chronosketch.rank.RankProfile
import chronosketch.summary.Envelope

/** Summarises the order keys of a group's rows, with certain bounds on their ranks.
  *
  * @param key    the group's key, as the bytes of an UnsafeRow
  * @param sketch the sealed sketch
  */
final case class OrderKeySketch(key: Array[Byte], sketch: Array[Byte]) {
  def profile: RankProfile = opened.profile

  private def opened: GreenwaldKhanna = QuantileSketch.own(Families.open(sketch))

  def union(that: OrderKeySketch): OrderKeySketch = {
    val both = opened
    both.merge(that.opened)
    copy(sketch = Envelope.seal(both))
  }
}

object OrderKeySketch {

  /** The groups of the input. None if there are too many to be cut. */
  type Groups = Option[Seq[OrderKeySketch]]

  val none: Groups = Some(Nil)

  def union(left: Groups, right: Groups): Groups = for {
    a <- left
    b <- right
    all = (a ++ b).groupBy(g => UnsafeBytes(g.key)).values.map(_.reduce(_ union _)).toSeq
    if all.size <= RangeTable.MostGroups
  } yield all

  private final case class UnsafeBytes(bytes: Array[Byte]) {
    override def hashCode: Int = Arrays.hashCode(bytes)
    override def equals(that: Any): Boolean = that match {
      case UnsafeBytes(others) => Arrays.equals(bytes, others)
      case _ => false
    }
  }

  /** Summarises the rows of one input partition. */
  final class Collector(rankError: Double) {
    private val groups = new java.util.LinkedHashMap[UnsafeRow, GreenwaldKhanna]()
    private var latest: UnsafeRow = null
    private var keys: GreenwaldKhanna = null

    /** Adds a row's key. Returns false if there are already too many groups. */
    def add(group: UnsafeRow, key: Long): Boolean = {
      if (latest == null || !latest.equals(group)) {
        keys = groups.get(group)
        if (keys == null && groups.size < RangeTable.MostGroups) {
          keys = new GreenwaldKhanna(Domain.BigInt, rankError)
          groups.put(group.copy(), keys)
        }
        latest = group.copy()
      }
      keys != null && {
        keys.insert(key)
        true
      }
    }

    def result: Groups = {
      val all = Seq.newBuilder[OrderKeySketch]
      groups.forEach((group, keys) => all += OrderKeySketch(group.getBytes, Envelope.seal(keys)))
      Some(all.result())
    }
  }
}
