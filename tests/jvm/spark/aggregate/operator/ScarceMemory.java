package chronosketch.spark.aggregate.operator;

import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.TestBlockId;

/**
 * Reserves Spark's memory, as cached blocks that cannot be evicted would, without a new session: its tasks share the rest. In
 * Java, because Scala code cannot access this part of Spark.
 */
public final class ScarceMemory implements AutoCloseable {
  private final MemoryManager manager = SparkEnv.get().memoryManager();
  private final long taken;

  public ScarceMemory(long left) throws InterruptedException {
    // Delta runs tasks in the background, also after a suite has ended; they would get a share of what is left
    long patience = System.nanoTime() + 10_000_000_000L;
    while (executing() > 0 && System.nanoTime() < patience) Thread.sleep(1);
    // reserve all memory first, so that blocks of earlier queries are evicted now, not when a task requests memory
    long most = manager.maxOnHeapStorageMemory();
    while (!manager.acquireStorageMemory(new TestBlockId("scarce"), most, MemoryMode.ON_HEAP)) {
      most -= 1 << 18; // the session itself uses a little
    }
    manager.releaseStorageMemory(left, MemoryMode.ON_HEAP);
    taken = most - left;
  }

  /** The bytes that tasks hold now. */
  public static long executing() {
    return SparkEnv.get().memoryManager().executionMemoryUsed();
  }

  @Override
  public void close() {
    manager.releaseStorageMemory(taken, MemoryMode.ON_HEAP);
  }
}
