package chronosketch.domain

import chronosketch.Refusal
import chronosketch.codec.Wire

/** The SQL type of a sketch's values, which are stored as 64-bit keys.
  *
  * Guarantee  keys sort as Spark sorts the values. A key converts back to its value exactly, bit for bit; only −0.0 comes back
  *            as 0.0
  * Units      DATE: days. TIMESTAMP, TIMESTAMP_NTZ and day-time intervals: microseconds. Year-month intervals: months. TIME:
  *            nanoseconds of the day. Decimals: the unscaled value
  * Merge      [[widen]]: integers with integers, FLOAT with DOUBLE, decimals of equal scale, intervals of one class, TIME
  *            with TIME. [[coerced]]: other numbers, whose keys change
  *
  * `first` and `second` are the type's parameters: precision and scale of a decimal, start and end field of an interval,
  * precision of TIME; otherwise 0.
  */
final case class Domain(kind: Kind, first: Int, second: Int) {

  /** The type's name in SQL. */
  def sql: String = kind match {
    case Kind.Decimal => s"DECIMAL($first,$second)"
    case Kind.Time => s"TIME($first)"
    case Kind.YearMonthInterval => interval(Domain.YearMonthFields)
    case Kind.DayTimeInterval => interval(Domain.DayTimeFields)
    case _ => kind.name
  }

  private def interval(fields: Array[String]): String =
    if (first == second) s"INTERVAL ${fields(first)}" else s"INTERVAL ${fields(first)} TO ${fields(second)}"

  /** A constant of the type, to be pasted into a query. */
  def example: String = kind match {
    case Kind.Date => "DATE '2026-01-01'"
    case Kind.Timestamp => "TIMESTAMP '2026-01-01 00:00:00'"
    case Kind.TimestampNtz => "TIMESTAMP_NTZ '2026-01-01 00:00:00'"
    case Kind.Time => "TIME '12:00:00'"
    case Kind.YearMonthInterval => "INTERVAL '1' MONTH"
    case Kind.DayTimeInterval => "INTERVAL '1' DAY"
    case _ => "100"
  }

  def isNumeric: Boolean = kind.isNumeric

  def isFloating: Boolean = kind == Kind.Float || kind == Kind.Double

  /** The number of digits after the decimal point; 0 if the type is not DECIMAL. */
  def scale: Int = if (isNumeric) second else 0

  /** The least key that a value of this type can have. */
  def least: Long = kind match {
    case Kind.TinyInt => Byte.MinValue
    case Kind.SmallInt => Short.MinValue
    case Kind.Int | Kind.Date | Kind.YearMonthInterval => Int.MinValue
    case Kind.Float | Kind.Double => DoubleKeys.NegativeInfinity
    case Kind.Decimal => -Domain.pow10(first) + 1
    case Kind.Time => 0L
    case _ => Long.MinValue
  }

  /** The greatest key that a value of this type can have. */
  def greatest: Long = kind match {
    case Kind.TinyInt => Byte.MaxValue
    case Kind.SmallInt => Short.MaxValue
    case Kind.Int | Kind.Date | Kind.YearMonthInterval => Int.MaxValue
    case Kind.Float | Kind.Double => DoubleKeys.NaN
    case Kind.Decimal => Domain.pow10(first) - 1
    case Kind.Time => Domain.NanosPerDay - 1
    case _ => Long.MaxValue
  }

  /** Whether some value of this type has this key. Decoders check stored keys with it. */
  def holds(key: Long): Boolean =
    least <= key && key <= greatest && (kind match {
      case Kind.Double => DoubleKeys.isKey(key)
      case Kind.Float =>
        val value = DoubleKeys.value(key)
        DoubleKeys.isKey(key) && (value.isNaN || value.toFloat.toDouble == value)
      case _ => true
    })

  /** Whether [[holds]] is true for each of the first n keys, which are sorted. */
  def holdsAll(keys: Array[Long], n: Int): Boolean = n == 0 || {
    var i = 0
    kind match {
      case Kind.Float => while (i < n && holds(keys(i))) i += 1
      case Kind.Double =>
        // NaN is the only key above +∞
        var last = n
        while (last > 0 && keys(last - 1) == DoubleKeys.NaN) last -= 1
        val isWithin = last == 0 || (keys(0) >= least && keys(last - 1) <= DoubleKeys.PositiveInfinity)
        if (isWithin) { while (i < last && keys(i) != DoubleKeys.NegativeZero) i += 1; i += n - last }
      case _ => if (least <= keys(0) && keys(n - 1) <= greatest) i = n
    }
    i == n
  }

  /** Returns the type that holds the values of both types without changing a key; None if there is no such type. */
  def widen(that: Domain): Option[Domain] =
    if (this == that) Some(this)
    else if (kind.isInteger && that.kind.isInteger) Some(if (kind.id >= that.kind.id) this else that)
    else if (isFloating && that.isFloating) Some(Domain.Double)
    else if (kind != that.kind) None
    else
      kind match {
        case Kind.Decimal if second == that.second => Some(copy(first = math.max(first, that.first)))
        case Kind.YearMonthInterval | Kind.DayTimeInterval =>
          Some(copy(first = math.min(first, that.first), second = math.max(second, that.second)))
        case Kind.Time => Some(copy(first = math.max(first, that.first)))
        case _ => None
      }

  /** The type that a merge gives to values of both, if it holds all of them exactly; None otherwise. It is that of Spark's own coercion:
    * beside DOUBLE or FLOAT, whole numbers of at most 32 bits become DOUBLE; beside DECIMAL, whole numbers and other decimals become a
    * DECIMAL of at most 18 digits.
    */
  def coerced(that: Domain): Option[Domain] = widen(that).orElse(
    if (!isNumeric || !that.isNumeric) None
    else if (isFloating || that.isFloating) {
      val whole = if (isFloating) that else this
      Option.when(whole.kind.isInteger && whole.digits <= Domain.DoubleDigits)(Domain.Double)
    } else exactDecimal(that)
  )

  /** The decimal that holds both; None if it has too many digits. Neither is floating. */
  private def exactDecimal(that: Domain): Option[Domain] = {
    val scale = math.max(second, that.second)
    val precision = math.max(digits - second, that.digits - that.second) + scale
    Option.when(precision <= Domain.MaxDecimalPrecision)(Domain.decimal(precision, scale))
  }

  /** The type that both can be cast to without losing a digit; None if no type of a sketch is wide enough. */
  def common(that: Domain): Option[Domain] = widen(that).orElse(
    if (isFloating && that.isNumeric) Domain.floating(that, this)
    else if (isNumeric && that.isFloating) Domain.floating(this, that)
    else if (isNumeric && that.isNumeric)
      exactDecimal(that).orElse(Option.when(second == 0 && that.second == 0)(Domain.BigInt))
    else (kind, that.kind) match {
      case (Kind.Date, Kind.Timestamp | Kind.TimestampNtz) => Some(that)
      case (Kind.Timestamp | Kind.TimestampNtz, Kind.Date) => Some(this)
      case _ => None
    }
  )

  /** The greatest number of digits of a value; the type is not floating. */
  private[domain] def digits: Int = if (kind == Kind.Decimal) first else greatest.toString.length

  /** [[widen]], or the error that names both.
    *
    * @param build   how SQL builds a sketch of values that are cast to a type, if an aggregate does
    * @param isCast  whether `sketch_cast` casts a sketch of the first type to the second
    */
  def widenOrRefuse(
      that: Domain,
      build: String => Option[String],
      isCast: (Domain, Domain) => Boolean = (_, _) => false
  ): Domain = widen(that).getOrElse(refuse("CHRONOSKETCH_VALUE_TYPES_DIFFER", that, build, isCast))

  /** The same for types of times. */
  def widenTimesOrRefuse(that: Domain, build: String => Option[String]): Domain =
    widen(that).getOrElse(refuse("CHRONOSKETCH_TIME_TYPES_DIFFER", that, build, (_, _) => false))

  private def refuse(
      condition: String,
      that: Domain,
      build: String => Option[String],
      isCast: (Domain, Domain) => Boolean
  ): Nothing = {
    val fix = common(that) match {
      case Some(wide) =>
        val call = build(wide.sql).fold("")(built => s": $built")
        val cast = if (isCast(this, wide) && isCast(that, wide))
          s" Or cast them: sketch_cast(sketch, '${wide.sql}')."
        else ""
        s"Build both with the type ${wide.sql}, which holds all of them$call.$cast"
      case None =>
        val cast =
          if (isCast(this, that) || isCast(that, this))
            " Or choose a type: sketch_cast(sketch, type) converts a sketch, and rounds what the type does not hold."
          else ""
        s"No type of a sketch holds all of them as they are. Build both from values of one type, $sql or ${that.sql}.$cast"
    }
    throw Refusal(condition, "left" -> sql, "right" -> that.sql, "fix" -> fix)
  }
}

object Domain {
  val TinyInt: Domain = Domain(Kind.TinyInt, 0, 0)
  val SmallInt: Domain = Domain(Kind.SmallInt, 0, 0)
  val Int: Domain = Domain(Kind.Int, 0, 0)
  val BigInt: Domain = Domain(Kind.BigInt, 0, 0)
  val Float: Domain = Domain(Kind.Float, 0, 0)
  val Double: Domain = Domain(Kind.Double, 0, 0)
  val Date: Domain = Domain(Kind.Date, 0, 0)
  val Timestamp: Domain = Domain(Kind.Timestamp, 0, 0)
  val TimestampNtz: Domain = Domain(Kind.TimestampNtz, 0, 0)

  /** A Long holds every decimal of up to 18 digits. */
  val MaxDecimalPrecision = 18
  def decimal(precision: Int, scale: Int): Domain = Domain(Kind.Decimal, precision, scale)
  def yearMonthInterval(start: Int, end: Int): Domain = Domain(Kind.YearMonthInterval, start, end)
  def dayTimeInterval(start: Int, end: Int): Domain = Domain(Kind.DayTimeInterval, start, end)
  def time(precision: Int): Domain = Domain(Kind.Time, precision, 0)

  /** Whole numbers up to 10ᵈ − 1 that a FLOAT, or a DOUBLE, holds. */
  private[domain] val FloatDigits = 7
  private[domain] val DoubleDigits = 15

  /** The floating type that holds a floating type and another number type. */
  private def floating(whole: Domain, floating: Domain): Option[Domain] =
    if (whole.second > 0 || whole.digits > DoubleDigits) None
    else if (whole.digits > FloatDigits) Some(Double)
    else Some(floating)

  private[domain] val YearMonthFields = Array("YEAR", "MONTH")
  private[domain] val DayTimeFields = Array("DAY", "HOUR", "MINUTE", "SECOND")
  private[domain] val NanosPerDay = 86400000000000L

  private[domain] def pow10(digits: Int): Long = {
    var power = 1L
    var i = 0
    while (i < digits) { power *= 10; i += 1 }
    power
  }

  /** Returns the domain of a stored id and its two parameters; None if there is no such type. */
  def read(id: Int, first: Int, second: Int): Option[Domain] =
    Kind.byId(id).map(Domain(_, first, second)).filter { d =>
      d.kind match {
        case Kind.Decimal => first >= 1 && first <= MaxDecimalPrecision && second >= 0 && second <= first
        case Kind.YearMonthInterval => first >= 0 && first <= second && second < YearMonthFields.length
        case Kind.DayTimeInterval => first >= 0 && first <= second && second < DayTimeFields.length
        case Kind.Time => first >= 0 && first <= 9 && second == 0
        case _ => first == 0 && second == 0
      }
    }
}

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

/** The types that times and versions can have: whole numbers, DATE, TIMESTAMP and TIMESTAMP_NTZ. */
object TimeDomain {

  /** Whether times can have this type. */
  def is(domain: Domain): Boolean = domain.kind match {
    case Kind.TinyInt | Kind.SmallInt | Kind.Int | Kind.BigInt => true
    case Kind.Date | Kind.Timestamp | Kind.TimestampNtz => true
    case _ => false
  }

  /** Writes the kind and the two parameters, one byte each. */
  def write(w: Wire.Writer, domain: Domain): Unit = {
    w.byte(domain.kind.id)
    w.byte(domain.first)
    w.byte(domain.second)
  }

  /** Reads what [[write]] wrote. `subject` is the word for the values of this type in the error message. */
  def read(r: Wire.Reader, subject: String): Domain = {
    val kind = r.byte()
    Domain.read(kind, r.byte(), r.byte())
      .filter(is)
      .getOrElse(throw r.corrupt(s"its $subject have a type that times can't have ($kind)"))
  }
}
