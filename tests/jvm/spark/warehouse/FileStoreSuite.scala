package chronosketch.spark.warehouse

import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.{Path => HadoopPath}

import chronosketch.spark.warehouse.manifest._

/** Tests the store of files on a local disk. */
class LocalFileStoreSuite
    extends StoreSuite(ManifestStores.Files, "file:", "local disk", rounds = 30, writers = 8) {
  test("the golden manifest can be read, and is still written with the same bytes") {
    val golden = Path.of("tests", "golden", "v1", "warehouse").toAbsolutePath
    val today = folder()
    val written = whole.copy(writers = Seq(WriterBatch("it's \"me\"", Long.MaxValue, -3)))
    (0L until 7L).foreach(version => assert(log(today).commit(first.copy(version = version))))
    assert(log(today).commit(written))
    val file = files(today).max
    val kept = golden.resolve(file.getFileName)
    assert(Files.exists(kept), s"there is no $kept: copy $file")
    assertEquals(
      new FileStore(new HadoopPath(s"file:$golden"), Warehouse.hadoop(spark)).current(),
      Some(written)
    )
    assertEquals(Files.readString(file), Files.readString(kept))
  }

  test("an unknown store is refused with a named condition") {
    val refused = message(Warehouse.create(spark, folder(), "v", store = "s3"))
    assert(refused.startsWith("[CHRONOSKETCH_WAREHOUSE_ARGUMENT]"), refused)
    assert(refused.contains("given 's3' as its store. It must be 'files' or 'delta'"), refused)
  }
}

/** Tests the store of files on a file system that is not a local disk. */
class OtherFileStoreSuite
    extends StoreSuite(ManifestStores.Files, "other:", "CheckpointFileManager", rounds = 10, writers = 8) {
  override protected def storeTest(name: String)(body: String => Unit): Unit =
    super.storeTest(name)(path => withConf("fs.other.impl" -> classOf[OtherFileSystem].getName)(body(path)))
}
