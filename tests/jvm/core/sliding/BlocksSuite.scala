package chronosketch.sliding

import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}

class BlocksSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(2000))

  property("every frame is the tail of a block that has arrived and the head of the next") {
    forAll(FrameGen.frames) { case (frames, n) =>
      val blocks = new Blocks(frames)
      var covered = 0 // end of the last block
      (0 until frames.rows).foreach { row =>
        val before = (blocks.start, blocks.cut, blocks.end)
        val arrived = if (row == 0) 0 else frames.until(row - 1)
        if (blocks.advance(row)) {
          assert(blocks.end <= n)
          if (blocks.start < blocks.cut) {
            assertEquals((blocks.start, blocks.cut), (before._2, before._3))
            assertEquals(arrived, blocks.cut)
          }
          assert(blocks.cut >= covered)
          covered = blocks.end
        } else assertEquals((blocks.start, blocks.cut, blocks.end), before)
        assert(blocks.start <= frames.from(row) && frames.from(row) <= blocks.cut)
        assert(blocks.cut <= frames.until(row) && frames.until(row) <= blocks.end)
      }
    }
  }
}
