package chronosketch.spark.sliding

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, TimeUnit}

import chronosketch.spark.memory.OwnerThread

class OwnerThreadSuite extends munit.FunSuite {
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
    val owner = new OwnerThread
    var asked = 0
    def relieve(): Long = owner.relieve { () => asked += 1; 7L }
    // nobody has begun
    assertEquals((relieve(), asked), (0L, 0))
    owner.enter()
    assertEquals((relieve(), asked), (7L, 1))
    assertEquals((elsewhere(relieve()), asked), (0L, 1))
    // the turn is another's, and then ours again
    elsewhere(owner.enter())
    assertEquals((relieve(), asked), (0L, 1))
    assertEquals(elsewhere { owner.enter(); relieve() }, 7L)
    owner.enter()
    assertEquals((relieve(), asked), (7L, 3))
  }

  test("who gives back is not overtaken by a thread that enters") {
    val owner = new OwnerThread
    owner.enter()
    val (giving, entered) = (new CountDownLatch(1), new CountDownLatch(1))
    val other = new Thread(() => {
      giving.await()
      owner.enter()
      entered.countDown()
    })
    other.start()
    owner.relieve { () =>
      giving.countDown()
      // long enough for it to come to the door
      while (other.getState != Thread.State.BLOCKED && entered.getCount > 0) Thread.onSpinWait()
      assertEquals(entered.getCount, 1L)
      1L
    }
    assert(entered.await(30, TimeUnit.SECONDS))
    assertEquals(owner.relieve(() => 1L), 0L)
    other.join()
  }

  test("a thread that fails to give back leaves the turn as it was") {
    val owner = new OwnerThread
    owner.enter()
    intercept[IllegalStateException](owner.relieve(() => throw new IllegalStateException))
    assertEquals(elsewhere(owner.relieve(() => 1L)), 0L)
    assertEquals(owner.relieve(() => 3L), 3L)
  }
}
