package chronosketch.shape

import chronosketch.Refusal
import chronosketch.rank.RankProfile
import chronosketch.summary.Bounded

/** Checks a summary for answers that depend on the ranks of single elements. */
private[shape] object CertainCount {

  /** Returns the profile of a summary of numbers. Refuses values that are not numbers, and an uncertain count. */
  def require(summary: Bounded): RankProfile = {
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
