package chronosketch.spark.warehouse.runs

import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.StructType

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.operator.ScarceMemory

/** Tests that rows are sorted as by Spark, into parts of similar size, in memory and with spilling. */
class RowSortSuite extends SparkSuite {

  /** Sorts rows. Returns the groups and keys of each part, and the bytes that were spilled. */
  private def sorted(rows: DataFrame, maxRows: Long): SortedParts[(Seq[(Seq[Any], Long)], Long)] = {
    val by = StructType(rows.schema.init)
    new RowSort(rows, maxRows).mapParts((task: TaskContext, blocks: Iterator[KeyBlock]) => {
      val keys = blocks.flatMap(b => b.keys.take(b.count).toSeq.map((b.by.copy().toSeq(by), _))).toArray
      (keys.toSeq, task.taskMetrics().diskBytesSpilled)
    })
  }

  private def expected(rows: DataFrame): Seq[(Seq[Any], Long)] = {
    val schema = rows.schema
    rows.where(s"${schema.last.name} IS NOT NULL").sort(schema.map(f => rows(f.name)): _*)
      .queryExecution.toRdd.map { row =>
        val all = row.copy().toSeq(schema)
        (all.init, all.last.asInstanceOf[Long])
      }.collect().toSeq
  }

  private val shapes = Seq(
    "without group columns" -> Seq("hash(id) % 100000L AS v"),
    "one giant group and small ones" -> Seq("IF(id % 3 = 0, id % 700, -1) AS k", "hash(id) % 100000L AS v"),
    "two columns, NULLs, strings" -> Seq(
      "IF(id % 5 = 0, NULL, concat('k', id % 40)) AS k",
      "CAST(id % 2 AS BOOLEAN) AS b",
      "IF(id % 7 = 0, NULL, id % 500) AS v"
    ),
    "nearly all values are equal" -> Seq("IF(id % 20 = 0, id, 4711L) AS v"),
    "a group for each row" -> Seq("hash(id) AS k", "id AS v"),
    "sorted in descending order" -> Seq("-id AS v"),
    "only NULL" -> Seq("CAST(NULL AS BIGINT) AS v")
  )

  shapes.foreach { case (name, columns) =>
    test(s"in parts: $name") {
      val rows = spark.range(0, 6000, 1, 2).selectExpr(columns: _*)
      val found = sorted(rows, 1500)
      val all = expected(rows)
      assertEquals(found.parts.flatMap(_._1), all)
      assertEquals(found.nulls, 6000L - all.size)
      if (all.nonEmpty) {
        assertEquals(found.parts.size, 4)
        assert(found.parts.forall(_._1.size <= 2 * all.size / 4), found.parts.map(_._1.size).toString)
      }
    }
  }

  test("the rows of a part do not depend on the order of the input") {
    val by = StructType(Nil)
    val group = UnsafeProjection.create(by)(InternalRow.empty).copy()
    val cuts = PartCuts(Array.fill(5)(group), Array(3L, 7L, 7L, 7L, 9L))
    def parts(keys: Seq[Long]): Map[Int, Seq[Long]] = {
      val distributor = new PartDistributor(cuts, by)
      keys.grouped(100).toSeq.flatMap { some =>
        val packed = new PackedKeys.Builder
        packed.begin(group)
        some.foreach(key => packed.add(key))
        distributor.distribute(packed.take()).toSeq
      }.flatMap { case (part, bytes) =>
        val keys = new PackedKeys(bytes, 0)
        keys.next()
        (0 until keys.count).map(i => part -> keys.key(i))
      }.groupMap(_._1)(_._2).map { case (part, keys) => part -> keys.sorted }
    }
    val keys = (0 until 1000).map(i => if (i % 3 == 0) i % 11L else 7L)
    val there = parts(keys)
    assertEquals(there.size, 6)
    assertEquals(parts(keys.reverse), there)
    assertEquals(parts(keys.sorted), there)
    assertEquals((0 until 6).flatMap(there), keys.sorted)
  }

  test("no rows") {
    val none = sorted(spark.range(0).selectExpr("1 AS k", "id AS v"), 1000)
    assertEquals(none.parts.flatMap(_._1), Nil)
  }

  test("if memory is scarce, sorted pieces are spilled and merged") {
    // far more than what evicting blocks of earlier queries may free in the meantime
    val rows = spark.range(0, 800000, 1, 2).selectExpr("id % 3 AS k", "hash(id) % 100000L AS v")
    val all = expected(rows)
    val taken = new ScarceMemory(1L << 20)
    try {
      val found = sorted(rows, 1L << 20)
      assert(found.parts.exists(_._2 > 0), "nothing was spilled")
      assertEquals(found.parts.flatMap(_._1).hashCode, all.hashCode)
    } finally taken.close()
  }
}
