package chronosketch.domain

import chronosketch.codec.Wire

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
