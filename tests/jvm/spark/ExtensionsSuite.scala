package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/** Tests the ways in which a session gets the functions. */
class ExtensionsSuite extends SparkSuite {

  private def injected(extensions: SparkSessionExtensions): Int = {
    val field = classOf[SparkSessionExtensions].getDeclaredField("injectedFunctions")
    field.setAccessible(true)
    field.get(extensions).asInstanceOf[scala.collection.Iterable[Any]].size
  }

  test("an extension that is both found on the class path and configured is applied once") {
    val extensions = new SparkSessionExtensions
    new ChronosketchExtensions()(extensions)
    assertEquals(injected(extensions), FunctionTable.registrations.size)
    new ChronosketchExtensions()(extensions)
    assertEquals(injected(extensions), FunctionTable.registrations.size)
  }

  test("a session with the extension from the class path and from its builder answers") {
    val session = SparkSession.builder().withExtensions(new ChronosketchExtensions).create()
    assertEquals(session.sql("SELECT approx_quantile(id, 0.5) FROM range(1, 101)").head().getLong(0), 50L)
  }

  test("the class path is enough: the session of these tests configures no extension") {
    assertEquals(spark.conf.getOption("spark.sql.extensions"), None)
    assertEquals(one("SELECT approx_quantile(id, 0.5) FROM range(1, 101)"), 50L)
  }

  test("a function of Spark's is not replaced: ours is available by its full name") {
    val ours = FunctionTable.all.find(_.name == "approx_quantile").get
    assertEquals(
      ours.registrations((_, _) => None).map(_._1.funcName),
      Seq("chronosketch_approx_quantile", "approx_quantile")
    )
    assertEquals(
      ours.copy(name = "percentile_approx").registrations((_, _) => None).map(_._1.funcName),
      Seq("chronosketch_percentile_approx")
    )
    FunctionTable.all.foreach(f =>
      assert(!FunctionRegistry.builtin.functionExists(FunctionIdentifier(f.name)), f.name)
    )
  }
}
