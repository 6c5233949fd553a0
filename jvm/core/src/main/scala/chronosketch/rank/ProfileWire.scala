package chronosketch.rank

import chronosketch.codec.{Rising, Wire}
import chronosketch.domain.Domain

/** Encodes and decodes rank profiles for the payload of family 8, as described in docs/format.md. The bounds on the elements above a
  * key are not written.
  */
private[chronosketch] object ProfileWire {
  def write(w: Wire.Writer, profile: RankProfile): Unit = {
    val n = profile.size
    w.varint(n.toLong)
    if (n > 0) {
      w.varint(profile.countLow)
      w.varint(profile.countHigh - profile.countLow)
      Rising.write(w, Array.tabulate(n)(profile.key), n)
      // the bounds of the last key are those of the count
      (0 until n - 1).foreach { i =>
        w.varint(profile.rankLow(i) - (if (i == 0) 0L else profile.rankLow(i - 1)))
      }
      (0 until n - 1).foreach(i => w.varint(profile.rankHigh(i) - profile.rankLow(i)))
    }
  }

  def read(r: Wire.Reader, domain: Domain): RankProfile = {
    val n = r.size(1)
    if (n == 0) RankProfile.empty
    else {
      val least = r.varint()
      val most = least + r.varint()
      if (least < 0 || most < least || most == 0) throw r.corrupt(s"it has from $least to $most elements")
      val keys = Rising.read(r, n)
      if (!domain.holdsAll(keys, n)) throw r.corrupt(s"one of its values is not of type ${domain.sql}")
      val low, high = new Array[Long](n)
      var i = 0
      while (i < n - 1) {
        val before = if (i == 0) 0L else low(i - 1)
        low(i) = before + r.varint()
        if (low(i) < before || low(i) > least) throw r.corrupt(s"a rank is at least ${low(i)} of $least")
        i += 1
      }
      i = 0
      while (i < n - 1) {
        high(i) = low(i) + r.varint()
        if (high(i) < low(i) || high(i) > most || (i > 0 && high(i) < high(i - 1)))
          throw r.corrupt(s"a rank is at most ${high(i)} of $most")
        i += 1
      }
      low(n - 1) = least
      high(n - 1) = most
      RankProfile.between(n, keys, low, high, least, most)
    }
  }
}
