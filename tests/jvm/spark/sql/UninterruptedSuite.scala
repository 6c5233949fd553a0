package chronosketch.spark.sql

import java.util.concurrent.CountDownLatch

import munit.FunSuite

class UninterruptedSuite extends FunSuite {
  test("a cleanup runs to its end in a thread that was interrupted, which stays so") {
    var ended = false
    Thread.currentThread().interrupt()
    Uninterrupted.run { Thread.sleep(50); ended = true }
    assert(Thread.interrupted())
    assert(ended)
  }

  test("a cleanup runs to its end although its thread is interrupted meanwhile") {
    var ended = false
    val (waiting, begun) = (Thread.currentThread(), new CountDownLatch(1))
    val other =
      new Thread(() => { begun.await(); for (_ <- 0 until 20) { waiting.interrupt(); Thread.sleep(5) } })
    other.start()
    Uninterrupted.run { begun.countDown(); other.join(); ended = true }
    assert(Thread.interrupted())
    assert(ended)
  }

  test("the failure of a cleanup is thrown, and the thread of one without interrupts has none") {
    val e = intercept[IllegalStateException](Uninterrupted.run(throw new IllegalStateException("not freed")))
    assertEquals(e.getMessage, "not freed")
    assert(!Thread.currentThread().isInterrupted)
  }
}
