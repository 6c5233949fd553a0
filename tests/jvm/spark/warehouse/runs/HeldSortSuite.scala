package chronosketch.spark.warehouse.runs

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{LongType, StructType}

import chronosketch.spark.SparkSuite
import chronosketch.spark.memory.HeldHeap

/** Tests that a task that sorts rows for a warehouse holds no more than it has requested, by walking the heap while it sorts. */
class HeldSortSuite extends SparkSuite {

  /** Sorts keys that are spread over groups. Returns what was requested, and the most that was held while keys were added and sorted. */
  private def sorted(keys: Int, groups: Int): HeldHeap =
    spark.sparkContext.runJob(
      spark.sparkContext.parallelize(Seq(1), 1),
      (task: TaskContext, _: Iterator[Int]) => HeldSortSuite.sorted(task, keys, groups)
    ).head

  for ((keys, groups) <- Seq(3000000 -> 1, 1000000 -> 100, 300000 -> 20000))
    test(s"$keys keys in $groups groups") {
      val most = sorted(keys, groups)
      assert(
        most.held <= HeldSortSuite.Constant + most.requested * 11 / 10,
        s"${most.held} bytes are held, ${most.requested} requested"
      )
      // the keys of one group stay together with the scratch memory while they are sorted, which is long enough to be seen
      if (groups == 1)
        assert(
          most.held >= most.requested * 9 / 10,
          s"${most.held} bytes are held, ${most.requested} requested"
        )
    }
}

private object HeldSortSuite {

  /** The objects that exist once. */
  val Constant: Long = 1L << 16

  def sorted(task: TaskContext, keys: Int, groups: Int): HeldHeap = {
    val by = new StructType().add("g", LongType)
    val project = UnsafeProjection.create(by)
    val sort = new PartSort(task, by)
    val perArray = 100000
    var key = 0L
    while (key < keys) {
      val packed = new PackedKeys.Builder
      (0 until math.min(groups, perArray)).foreach { group =>
        packed.begin(project(InternalRow(group.toLong)))
        (0 until math.max(1, perArray / groups)).foreach { _ =>
          packed.add(key * 0x9e3779b97f4a7c15L)
          key += 1
        }
      }
      sort.add(packed.take())
    }
    val requested = HeldHeap.of(sort).requested
    @volatile var isSorting = true
    var most = HeldHeap.of(sort).held
    // the peak lies inside of the sort, so another thread looks
    val watcher = new Thread(() => while (isSorting) most = math.max(most, HeldHeap.of(sort).held))
    watcher.start()
    sort.sorted().foreach(_ => ())
    isSorting = false
    watcher.join()
    HeldHeap(most, requested)
  }
}
