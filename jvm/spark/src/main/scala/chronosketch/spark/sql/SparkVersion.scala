package chronosketch.spark.sql

import java.lang.reflect.{Constructor, InvocationTargetException}

import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, Path}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.types.{DataType, TimeType}

/** Hides the differences between the Spark 4 versions that one jar runs on. */
object SparkVersion {

  /** The precision of a TIME type; None for any other type. Spark 4.0 has no TIME, so its class must not be loaded there. */
  def timePrecision(dataType: DataType): Option[Int] =
    if (dataType.typeName.startsWith("time(")) Some(Times.precision(dataType)) else None

  /** Loaded only if Spark has the class. */
  private object Times {
    def precision(dataType: DataType): Int = dataType.asInstanceOf[TimeType].precision
  }

  /** Adds an interval to a timestamp. The class of the expression is called TimeAdd on 4.0. */
  def timestampPlus(timestamp: Expression, interval: Expression, zone: String): Expression =
    plus.newInstance(timestamp, interval, Some(zone)).asInstanceOf[Expression]

  private lazy val plus: Constructor[_] = {
    val expressions = classOf[Expression].getPackage.getName
    val added: Class[_] =
      try Class.forName(s"$expressions.TimestampAddInterval")
      catch { case _: ClassNotFoundException => Class.forName(s"$expressions.TimeAdd") }
    added.getConstructor(classOf[Expression], classOf[Expression], classOf[Option[_]])
  }

  /** Maps each partition with its number, and tells Spark that the result depends on the order of rows. If a lost partition may be
    * recomputed in another order, Spark recomputes all partitions. Spark versions differ in the number of further parameters; all of
    * these have defaults.
    */
  def numbered[A](rows: RDD[InternalRow])(f: (Int, Iterator[InternalRow]) => Iterator[A])(implicit
      tag: ClassTag[A]
  ): RDD[A] = {
    val name = "mapPartitionsWithIndexInternal"
    val method = classOf[RDD[_]].getMethods.find(_.getName == name).get
    val others = (4 until method.getParameterCount).map { i =>
      classOf[RDD[_]].getMethod(s"$name$$default$$$i").invoke(rows)
    }
    val arguments = Seq[AnyRef](f, Boolean.box(false), Boolean.box(true)) ++ others :+ tag
    method.invoke(rows, arguments: _*).asInstanceOf[RDD[A]]
  }

  /** Requires rows of equal keys to be in one partition. Spark 4.3 added a constructor parameter; all but the first have defaults. */
  def clustered(keys: Seq[Expression]): Distribution = {
    val distribution = classOf[ClusteredDistribution]
    val constructor = distribution.getConstructors.head
    val defaults = (2 to constructor.getParameterCount).map { i =>
      distribution.getMethod(s"$$lessinit$$greater$$default$$$i").invoke(null)
    }
    constructor.newInstance(keys +: defaults: _*).asInstanceOf[Distribution]
  }

  /** The SQL of an expression as it names a column. Spark 4.1 added a parameter, which has a default. */
  def prettySql(e: Expression): String = {
    val name = "toPrettySQL"
    val utilities = org.apache.spark.sql.catalyst.util.`package`
    val method = utilities.getClass.getMethods.find(_.getName == name).get
    val defaults = (2 to method.getParameterCount).map { i =>
      utilities.getClass.getMethod(s"$name$$default$$$i").invoke(utilities)
    }
    method.invoke(utilities, e +: defaults: _*).asInstanceOf[String]
  }

  /** The EvalMode of an aggregate function that adds, which says how it handles overflow. Since 4.2 it is inside another class. */
  def evalMode(sum: Product): Any = sum.productElement(1) match {
    case mode: Enumeration#Value => mode
    case context => context.getClass.getMethod("evalMode").invoke(context)
  }

  /** Opens a file that appears once it is closed and must not exist before. Spark writes the logs of its checkpoints this way. */
  def writeOnce(file: Path, conf: Configuration): FSDataOutputStream =
    new CheckpointFiles(file, conf).create(file, overwrites = false)

  /** The name of the class that writes such files for a path. */
  def writerOf(path: Path, conf: Configuration): String = new CheckpointFiles(path, conf).writer
}

/** Reads and writes checkpoint files on any file system, as Spark does. Since 4.1, Spark's class is in another package.
  *
  * @param path any file in the file system to use
  */
final class CheckpointFiles(path: Path, conf: Configuration) {
  import CheckpointFiles.Manager

  private val manager = call(null, "create", classOf[Path] -> path, classOf[Configuration] -> conf)

  def writer: String = manager.getClass.getSimpleName

  def exists(file: Path): Boolean =
    call(manager, "exists", classOf[Path] -> file).asInstanceOf[Boolean]

  def read(file: Path): Array[Byte] = {
    val in = call(manager, "open", classOf[Path] -> file).asInstanceOf[FSDataInputStream]
    try in.readAllBytes()
    finally in.close()
  }

  /** Opens a file that appears once it is closed. */
  def create(file: Path, overwrites: Boolean): FSDataOutputStream =
    call(manager, "createAtomic", classOf[Path] -> file, classOf[Boolean] -> Boolean.box(overwrites))
      .asInstanceOf[FSDataOutputStream]

  /** Writes a file and creates its folder. Replaces an existing file. */
  def replace(file: Path, bytes: Array[Byte]): Unit = {
    call(manager, "mkdirs", classOf[Path] -> file.getParent)
    val out = create(file, overwrites = true)
    try {
      out.write(bytes)
      out.close()
    } catch {
      case NonFatal(e) =>
        out.getClass.getMethod("cancel").invoke(out)
        throw e
    }
  }

  private def call(target: AnyRef, name: String, arguments: (Class[_], AnyRef)*): AnyRef =
    try Manager.getMethod(name, arguments.map(_._1): _*).invoke(target, arguments.map(_._2): _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}

private object CheckpointFiles {
  val Manager: Class[_] = {
    val streaming = "org.apache.spark.sql.execution.streaming"
    try Class.forName(s"$streaming.checkpointing.CheckpointFileManager")
    catch { case _: ClassNotFoundException => Class.forName(s"$streaming.CheckpointFileManager") }
  }
}
