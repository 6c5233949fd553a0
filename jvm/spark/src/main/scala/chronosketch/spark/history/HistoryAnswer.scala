package chronosketch.spark.history

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType

import chronosketch.history.HistorySketch
import chronosketch.spark.sql.{Phis, SqlValues}
import chronosketch.summary.Envelope

/** The answer that an aggregate computes from the complete history of a group. */
sealed abstract class HistoryAnswer extends Serializable {

  /** The last version needed; later changes are ignored. */
  def latest: Long

  def of(history: HistorySketch): Any
}

/** The encoded history itself; an empty history if there were no changes. */
case object AsHistory extends HistoryAnswer {
  def latest: Long = Long.MaxValue
  def of(history: HistorySketch): Any = Envelope.seal(history)
}

/** The φ-quantile of the values alive at a version; NULL if the version is NULL or no value is alive. */
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
