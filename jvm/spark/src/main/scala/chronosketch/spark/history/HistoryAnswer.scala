package chronosketch.spark.history

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType

import chronosketch.history.HistorySketch
import chronosketch.spark.sql.{Phis, SqlValues}
import chronosketch.summary.Envelope

/** What an aggregate answers once the history of a group is complete. */
sealed abstract class HistoryAnswer extends Serializable {

  /** Changes of later versions do not count. */
  def latest: Long

  def of(history: HistorySketch): Any
}

/** The history itself, as bytes; of no changes an empty one. */
case object AsHistory extends HistoryAnswer {
  def latest: Long = Long.MaxValue
  def of(history: HistorySketch): Any = Envelope.seal(history)
}

/** The φ-quantile of what was alive at a version; none: it turned out to be NULL. */
final case class AsVersionQuantile(version: Option[Long], valueType: DataType, phi: Literal)
    extends HistoryAnswer {
  @transient private lazy val values: SqlValues = SqlValues.of(valueType).get
  @transient private lazy val phis: Phis = Phis.of(phi.value, phi.dataType)

  def latest: Long = version.getOrElse(Long.MinValue)

  def of(history: HistorySketch): Any =
    if (version.isEmpty || history.isEmpty) null
    else {
      val alive = history.at(history.lastVersion)
      alive.quantiles.fold(null: Any)(key => phis.map(phi => values.value(key(phi))))
    }
}
