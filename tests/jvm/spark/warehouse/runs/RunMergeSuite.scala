package chronosketch.spark.warehouse.runs

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.manifest.Definition
import chronosketch.spark.warehouse.{Warehouse, WarehouseTests}

/** Compares runs that are merged in parts with the sorted rows of all runs. */
class RunMergeSuite extends WarehouseTests {
  private val steps = Seq(
    "without group columns" -> Seq("CAST(hash(id, n) % 5000 AS DOUBLE) / 7 AS v"),
    "one giant group and small ones" -> Seq(
      "IF(id % 3 = 0, id % 700 + n, -1) AS k",
      "hash(id, n) % 100000L AS v"
    ),
    "strings, NULLs, a step with other groups" -> Seq(
      "IF(id % 5 = 0, NULL, concat('k', id % 4 + n)) AS k",
      "IF(id % 7 = 0, NULL, make_date(1900 + CAST(id % 200 AS INT), 1, 1)) AS v"
    ),
    "nearly all values are equal" -> Seq("IF(id % 20 = 0, id, 4711L) AS v"),
    "the least and the greatest key" -> Seq(
      s"CASE id % 3 WHEN 0 THEN ${Long.MaxValue} WHEN 1 THEN -${Long.MaxValue} - 1L ELSE id END AS v"
    )
  )

  steps.foreach { case (name, columns) =>
    test(s"in parts: $name") {
      val path = folder()
      val by = columns.init.map(_.split(" AS ").last)
      val w = Warehouse.create(spark, path, "v", by, epsilon = 0.05)
      val rows =
        (0 to 1).map(n => spark.range(1500).selectExpr(columns.map(_.replaceAll("\\bn\\b", s"$n")): _*))
      rows.foreach(w.append(_))
      // an empty run, too
      w.append(rows.head.limit(0))
      val definition = w.state.definition
      val schema = definition.schema(definition.types.get)
      val groups = StructType(schema.init)
      val merge = new RunMerge(
        spark,
        new EntryFolders(new HadoopPath(path), Warehouse.hadoop(spark)),
        definition,
        w.state.runs,
        maxRows = 500
      )
      val merged = merge.mapParts((_: TaskContext, blocks: Iterator[KeyBlock]) =>
        blocks.flatMap(b => b.keys.take(b.count).toSeq.map((b.by.copy().toSeq(groups), _))).toArray
      )
      assertEquals(merged.nulls, w.state.nulls)
      val values = Definition.values(schema.last.dataType)
      val all = rows.reduce(_ union _).where("v IS NOT NULL").sort(schema.map(f => col(f.name)): _*)
        .queryExecution.toRdd.map { row =>
          val whole = row.copy().toSeq(schema)
          (whole.init, values.key(whole.last))
        }.collect().toSeq
      assertEquals(merged.parts.flatten, all)
      if (name != "nearly all values are equal" && !name.startsWith("the least"))
        assert(merged.parts.size >= 4, s"${merged.parts.size} parts")
    }
  }

  test("a merge requests the memory of the pages that it keeps") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v")
    (0 to 1).foreach(n => w.append(spark.range(200000).selectExpr(s"id * 2 + $n AS v")))
    val folders = new EntryFolders(new HadoopPath(path), Warehouse.hadoop(spark))
    def memory(task: TaskContext): Long = SparkPrivates.memoryOf(task).getMemoryConsumptionForThisTask
    val merged = new RunMerge(spark, folders, w.state.definition, w.state.runs, maxRows = 1 << 20)
      .mapParts((task: TaskContext, blocks: Iterator[KeyBlock]) => (blocks.size, memory(task)))
    // two files, of each at least 48 of 64 pages of a thousand rows
    merged.parts.foreach { case (blocks, requested) =>
      assert(blocks > 0 && requested > 2 * 48 * 8000L, s"$requested bytes are requested")
    }
  }
}
