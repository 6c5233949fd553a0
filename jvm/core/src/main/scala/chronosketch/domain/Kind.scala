package chronosketch.domain

/** A kind of ordered SQL type. `id` is stored in sketches and never changes; the ids of integer types grow with their width. */
sealed abstract class Kind(val id: Int, val name: String, val isNumeric: Boolean = false)
    extends Serializable {
  def isInteger: Boolean = id <= Kind.BigInt.id
  override def toString: String = name
}

object Kind {
  case object TinyInt extends Kind(1, "TINYINT", isNumeric = true)
  case object SmallInt extends Kind(2, "SMALLINT", isNumeric = true)
  case object Int extends Kind(3, "INT", isNumeric = true)
  case object BigInt extends Kind(4, "BIGINT", isNumeric = true)
  case object Float extends Kind(5, "FLOAT", isNumeric = true)
  case object Double extends Kind(6, "DOUBLE", isNumeric = true)
  case object Decimal extends Kind(7, "DECIMAL", isNumeric = true)
  case object Date extends Kind(8, "DATE")
  case object Timestamp extends Kind(9, "TIMESTAMP")
  case object TimestampNtz extends Kind(10, "TIMESTAMP_NTZ")
  case object YearMonthInterval extends Kind(11, "INTERVAL YEAR TO MONTH")
  case object DayTimeInterval extends Kind(12, "INTERVAL DAY TO SECOND")
  case object Time extends Kind(13, "TIME")

  // lazy: initialising each object above needs this one, for its default argument
  lazy val all: Seq[Kind] = Seq(
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal,
    Date,
    Timestamp,
    TimestampNtz,
    YearMonthInterval,
    DayTimeInterval,
    Time
  )

  private lazy val ids: Map[scala.Int, Kind] = all.map(k => k.id -> k).toMap
  def byId(id: scala.Int): Option[Kind] = ids.get(id)
}
