package chronosketch.codec

/** What a fuzzer that is guided by coverage calls with bytes of its own; `tests/campaigns/fuzz_decoder.py` starts one. */
object DecoderFuzzer {

  /** The bytes as they are, and with the length and the checksum that they must have: hardly any guess would have these. */
  def fuzzerTestOneInput(bytes: Array[Byte]): Unit = {
    HostileBytes.examine(bytes, HostileBytes.open(bytes).result, "as they are")
    if (bytes.length >= Stored.SmallestBytes) {
      val whole = Stored.reseal(bytes)
      HostileBytes.examine(whole, HostileBytes.open(whole).result, "made to look whole")
    }
  }
}
