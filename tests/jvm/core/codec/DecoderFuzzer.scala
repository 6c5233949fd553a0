package chronosketch.codec

/** The entry point for a coverage-guided fuzzer, which `tests/campaigns/fuzz_decoder.py` starts. */
object DecoderFuzzer {

  /** Examines the bytes as they are, and with a valid length and checksum, which a fuzzer would hardly ever guess. */
  def fuzzerTestOneInput(bytes: Array[Byte]): Unit = {
    HostileBytes.examine(bytes, HostileBytes.open(bytes).result, "as they are")
    if (bytes.length >= Stored.SmallestBytes) {
      val whole = Stored.reseal(bytes)
      HostileBytes.examine(whole, HostileBytes.open(whole).result, "with a valid length and checksum")
    }
  }
}
