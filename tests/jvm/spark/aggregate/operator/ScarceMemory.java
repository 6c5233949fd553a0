package chronosketch.spark.aggregate.operator;

import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.storage.TestBlockId;

/**
 * Takes Spark's memory away, as cached blocks that cannot be evicted would: the shared session stays, and its tasks share
 * what is left. Java, since Scala keeps this private to Spark.
 */
public final class ScarceMemory implements AutoCloseable {
  private final MemoryManager manager = SparkEnv.get().memoryManager();
  private final long taken;

  public ScarceMemory(long left) {
    // all that can be had first: blocks of earlier queries have to go now, not when a task asks for memory
    long most = manager.maxOnHeapStorageMemory();
    while (!manager.acquireStorageMemory(new TestBlockId("scarce"), most, MemoryMode.ON_HEAP)) {
      most -= 1 << 18; // the session itself pins a little
    }
    manager.releaseStorageMemory(left, MemoryMode.ON_HEAP);
    taken = most - left;
  }

  /** What tasks hold now. */
  public static long executing() {
    return SparkEnv.get().memoryManager().executionMemoryUsed();
  }

  @Override
  public void close() {
    manager.releaseStorageMemory(taken, MemoryMode.ON_HEAP);
  }
}
