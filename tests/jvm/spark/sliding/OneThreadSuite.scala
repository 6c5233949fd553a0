package chronosketch.spark.sliding

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, TimeUnit}

import chronosketch.spark.memory.OneThread

class OneThreadSuite extends munit.FunSuite {
  private def elsewhere[A](body: => A): A = {
    val answer = new AtomicReference[Either[Throwable, A]]
    val thread = new Thread(() =>
      answer.set(
        try Right(body)
        catch { case e: Throwable => Left(e) }
      )
    )
    thread.start()
    thread.join(TimeUnit.SECONDS.toMillis(30))
    answer.get.fold(throw _, identity)
  }

  test("memory is given back in the thread whose turn it is, in no other") {
    val one = new OneThread
    var asked = 0
    def relieve(): Long = one.relieve { () => asked += 1; 7L }
    // nobody has begun
    assertEquals((relieve(), asked), (0L, 0))
    one.enter()
    assertEquals((relieve(), asked), (7L, 1))
    assertEquals((elsewhere(relieve()), asked), (0L, 1))
    // the turn is another's, and then ours again
    elsewhere(one.enter())
    assertEquals((relieve(), asked), (0L, 1))
    assertEquals(elsewhere { one.enter(); relieve() }, 7L)
    one.enter()
    assertEquals((relieve(), asked), (7L, 3))
  }

  test("who gives back is not overtaken by a thread that enters") {
    val one = new OneThread
    one.enter()
    val (giving, entered) = (new CountDownLatch(1), new CountDownLatch(1))
    val other = new Thread(() => {
      giving.await()
      one.enter()
      entered.countDown()
    })
    other.start()
    one.relieve { () =>
      giving.countDown()
      // long enough for it to come to the door
      while (other.getState != Thread.State.BLOCKED && entered.getCount > 0) Thread.onSpinWait()
      assertEquals(entered.getCount, 1L)
      1L
    }
    assert(entered.await(30, TimeUnit.SECONDS))
    assertEquals(one.relieve(() => 1L), 0L)
    other.join()
  }

  test("a thread that fails to give back leaves the turn as it was") {
    val one = new OneThread
    one.enter()
    intercept[IllegalStateException](one.relieve(() => throw new IllegalStateException))
    assertEquals(elsewhere(one.relieve(() => 1L)), 0L)
    assertEquals(one.relieve(() => 3L), 3L)
  }
}
