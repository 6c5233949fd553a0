package chronosketch.spark

import java.nio.file.{Files, Path, Paths}
import java.security.MessageDigest
import java.util.{HexFormat, Map => JavaMap}

import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}

import chronosketch.{Refusal, Version}
import chronosketch.spark.sql.Conditions

/** Refuses executors whose jar is not the driver's, before they run a task. Add it with
  * `spark.plugins=chronosketch.spark.SameJarPlugin` where the jar is installed on each node, since nodes may be upgraded one by one.
  *
  * Without it, Java refuses classes whose fields or methods differ, but takes a method that has only another body.
  */
final class SameJarPlugin extends SparkPlugin {
  override def driverPlugin: DriverPlugin = new DriverPlugin {
    override def receive(message: AnyRef): AnyRef = SameJarPlugin.jar
  }

  override def executorPlugin: ExecutorPlugin = new ExecutorPlugin {
    override def init(context: PluginContext, extra: JavaMap[String, String]): Unit =
      SameJarPlugin.requireSame(here = SameJarPlugin.jar, driver = context.ask("").toString)
  }
}

private[spark] object SameJarPlugin {

  /** The version of the jar that this class comes from, and the first digits of the SHA-256 of its bytes. */
  lazy val jar: String =
    describe(Paths.get(classOf[SameJarPlugin].getProtectionDomain.getCodeSource.getLocation.toURI))

  /** Describes a jar. A folder of classes, as tests have it, is described by its version alone. */
  def describe(file: Path): String =
    if (Files.isDirectory(file)) Version.value
    else {
      val digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file))
      s"${Version.value} (sha256 ${HexFormat.of.formatHex(digest).take(16)})"
    }

  /** Refuses an executor whose jar differs. */
  def requireSame(here: String, driver: String): Unit = if (here != driver)
    throw Conditions.runtimeError(
      Refusal("CHRONOSKETCH_JARS_DIFFER", "executor" -> here, "driver" -> driver),
      Map.empty
    )
}
