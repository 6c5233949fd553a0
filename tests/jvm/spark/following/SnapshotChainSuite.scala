package chronosketch.spark.following

import chronosketch.Suite

/** Tests how versions number the snapshots of an Iceberg table. */
class SnapshotChainSuite extends Suite {
  private val chain = SnapshotChain(Seq(Link(7, Some(3), 20), Link(9, Some(7), 30)))

  private def last(snapshot: Long, micros: Long) = LastVersion(5, snapshot.toString, micros)

  test("a chain has the newest snapshot and those that lead to it") {
    val links = Seq(Link(7, Some(3), 20), Link(9, Some(7), 30), Link(8, Some(7), 25))
    assertEquals(SnapshotChain.upTo(links(1), links.map(link => link.id -> link).toMap), chain)
  }

  test("a chain continues from its snapshots, and from expired ones before them") {
    assert(chain.continues(last(7, 20)))
    assert(chain.continues(last(3, 10)))
    assert(chain.continues(last(1, 10)), "the snapshots between them have expired")
    assert(!chain.continues(last(4, 25)), "rolled back: the chain is older and lacks 4")
    assert(!SnapshotChain(Nil).continues(last(7, 20)))
  }

  test("versions are counted from the last one that was read") {
    assertEquals(chain.oldestNumber(last(9, 30)), 4L)
    assertEquals(chain.oldestNumber(last(3, 10)), 6L)
    assertEquals(chain.oldestNumber(last(1, 10)), 7L)
  }
}
