package chronosketch.window

import chronosketch.domain.Domain
import chronosketch.summary.{Family, Recipe}

/** A family of [[Windowed]] summaries. */
trait WindowedFamily[+S <: Windowed] { self: Family[S] =>

  /** The parameters of an empty summary. */
  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[S]
}

object WindowedFamily {

  /** The text for EXPLAIN. */
  private[chronosketch] def text(family: Family[Windowed], retention: Long, filters: Seq[String]): String = {
    val kept = if (retention == Windowed.KeepAll) "" else s" of the last $retention"
    val by = if (filters.isEmpty) "" else s" by ${Filters.text(filters)}"
    s"${family.name}$kept$by"
  }
}
