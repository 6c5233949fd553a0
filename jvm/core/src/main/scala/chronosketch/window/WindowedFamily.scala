package chronosketch.window

import chronosketch.domain.Domain
import chronosketch.summary.{Family, Recipe}

/** A family whose summaries keep rows for any window. */
trait WindowedFamily[+S <: Windowed] { self: Family[S] =>

  /** What an empty summary with these parameters is made of. */
  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[S]
}

object WindowedFamily {

  /** For EXPLAIN. */
  private[chronosketch] def text(family: Family[Windowed], retention: Long, filters: Seq[String]): String = {
    val kept = if (retention == Windowed.KeepAll) "" else s" of the last $retention"
    val by = if (filters.isEmpty) "" else s" by ${Filters.text(filters)}"
    s"${family.name}$kept$by"
  }
}
