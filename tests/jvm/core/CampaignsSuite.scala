package chronosketch

import scala.concurrent.duration._

import chronosketch.codec.{ByteMutations, HostileBytes}

/** A few cases of each campaign in every run; not the same that the campaigns begin with. */
class CampaignsSuite extends munit.FunSuite {
  override def munitTimeout: Duration = 120.seconds

  private val seed = 7L

  test("hostile bytes: refused by name, or a sketch that answers, merges and is stored again") {
    val cases = new ByteMutations(seed)
    val accepted = (0 until Cases.of(6000)).count { i =>
      val c = cases(i.toLong)
      HostileBytes.outcome(c.bytes, s"seed $seed, case $i, of ${c.name}").isRight
    }
    assert(accepted > 300, accepted.toString)
  }

  test("certificates: of quantile sketches, windows, histories and ddsketches") {
    (0 until Cases.of(500)).foreach { i =>
      assertEquals(CertificateCampaign.one(seed, i.toLong)._2.take(3), Nil, s"case $i")
    }
  }

  test("a campaign counts what failed") {
    val counts = new Counts
    Seq("b", "a", "b").foreach(counts.add)
    assertEquals(counts.json, """{"a": 1, "b": 2}""")
  }
}
