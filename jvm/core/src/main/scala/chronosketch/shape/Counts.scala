package chronosketch.shape

import chronosketch.Refusal
import chronosketch.rank.RankProfile
import chronosketch.summary.Bounded

/** What answers that depend on the ranks of single elements ask of a summary. */
private[shape] object Counts {

  /** Numbers, and how many there are for certain. */
  def requireCertain(summary: Bounded): RankProfile = {
    if (!summary.domain.isNumeric) throw Refusal("CHRONOSKETCH_NOT_NUMBERS", "type" -> summary.domain.sql)
    val profile = summary.profile
    if (profile.countLow != profile.countHigh) {
      throw Refusal(
        "CHRONOSKETCH_COUNT_IN_DOUBT",
        "least" -> profile.countLow.toString,
        "most" -> profile.countHigh.toString
      )
    }
    profile
  }
}
