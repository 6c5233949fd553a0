package chronosketch.domain

import chronosketch.codec.Wire

/** The types that times and versions can have: whole numbers, DATE, TIMESTAMP and TIMESTAMP_NTZ. */
object TimeDomain {
  def is(domain: Domain): Boolean = domain.kind match {
    case Kind.TinyInt | Kind.SmallInt | Kind.Int | Kind.BigInt => true
    case Kind.Date | Kind.Timestamp | Kind.TimestampNtz => true
    case _ => false
  }

  /** Kind and parameters, a byte each. */
  def write(w: Wire.Writer, domain: Domain): Unit = {
    w.byte(domain.kind.id)
    w.byte(domain.first)
    w.byte(domain.second)
  }

  /** What [[write]] wrote; `of` says what has this type. */
  def read(r: Wire.Reader, of: String): Domain = {
    val kind = r.byte()
    Domain.read(kind, r.byte(), r.byte())
      .filter(is)
      .getOrElse(throw r.corrupt(s"its $of have a type that times can't have ($kind)"))
  }
}
