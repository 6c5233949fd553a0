package chronosketch.spark.memory

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, TimeUnit}

import chronosketch.Suite

class OwnerThreadSuite extends Suite {
  private def inOtherThread[A](body: => A): A = {
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

  test("only the thread that entered last releases memory") {
    val owner = new OwnerThread
    var asked = 0
    def freed(): Long = owner.freeIfOwner { () => asked += 1; 7L }
    // no thread has entered
    assertEquals((freed(), asked), (0L, 0))
    owner.enter()
    assertEquals((freed(), asked), (7L, 1))
    assertEquals((inOtherThread(freed()), asked), (0L, 1))
    // another thread enters, and then ours again
    inOtherThread(owner.enter())
    assertEquals((freed(), asked), (0L, 1))
    assertEquals(inOtherThread { owner.enter(); freed() }, 7L)
    owner.enter()
    assertEquals((freed(), asked), (7L, 3))
  }

  test("a thread cannot enter while another one releases memory") {
    val owner = new OwnerThread
    owner.enter()
    val (giving, entered) = (new CountDownLatch(1), new CountDownLatch(1))
    val other = new Thread(() => {
      giving.await()
      owner.enter()
      entered.countDown()
    })
    other.start()
    owner.freeIfOwner { () =>
      giving.countDown()
      // wait until the other thread blocks in enter()
      while (other.getState != Thread.State.BLOCKED && entered.getCount > 0) Thread.onSpinWait()
      assertEquals(entered.getCount, 1L)
      1L
    }
    assert(entered.await(30, TimeUnit.SECONDS))
    assertEquals(owner.freeIfOwner(() => 1L), 0L)
    other.join()
  }

  test("an exception while releasing memory does not change the owner") {
    val owner = new OwnerThread
    owner.enter()
    intercept[IllegalStateException](owner.freeIfOwner(() => throw new IllegalStateException))
    assertEquals(inOtherThread(owner.freeIfOwner(() => 1L)), 0L)
    assertEquals(owner.freeIfOwner(() => 3L), 3L)
  }
}
