package chronosketch.spark.warehouse.live

import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.spark.warehouse.manifest.Damaged
import chronosketch.summary.Envelope

/** Of a stored sketch one that takes fewer bytes and is allowed a greater error. */
private[live] object Coarser {
  def of(sketch: Array[Byte], epsilon: Double): Array[Byte] = Families.open(sketch) match {
    case finer: GreenwaldKhanna if finer.epsilon < epsilon =>
      val coarser = new GreenwaldKhanna(finer.domain, epsilon)
      coarser.merge(finer)
      Envelope.seal(coarser)
    case _: GreenwaldKhanna => sketch
    case other => throw Damaged(s"the summary of a group is a ${other.family}")
  }
}
