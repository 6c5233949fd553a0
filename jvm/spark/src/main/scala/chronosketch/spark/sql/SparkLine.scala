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

/** What differs between the lines of Spark 4 that one jar runs on. */
object SparkLine {

  /** The precision of a TIME type; none for another type, and none on 4.0, which has no TIME: there its class must not be
    * asked for.
    */
  def timePrecision(dataType: DataType): Option[Int] =
    if (dataType.typeName.startsWith("time(")) Some(Times.precision(dataType)) else None

  /** Loaded only where the class exists. */
  private object Times {
    def precision(dataType: DataType): Int = dataType.asInstanceOf[TimeType].precision
  }

  /** A timestamp some days and microseconds later: a class of two names, TimeAdd on 4.0. */
  def timestampPlus(timestamp: Expression, interval: Expression, zone: String): Expression =
    plus.newInstance(timestamp, interval, Some(zone)).asInstanceOf[Expression]

  private lazy val plus: Constructor[_] = {
    val expressions = classOf[Expression].getPackage.getName
    val added: Class[_] =
      try Class.forName(s"$expressions.TimestampAddInterval")
      catch { case _: ClassNotFoundException => Class.forName(s"$expressions.TimeAdd") }
    added.getConstructor(classOf[Expression], classOf[Expression], classOf[Option[_]])
  }

  /** What is made of each partition and its number, and depends on the order of its rows: where that may be another when a lost
    * partition is made again, Spark makes all of them again. The lines differ in how many parameters follow, all with defaults.
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

  /** Rows of equal keys in one partition: 4.3 gave its class one more parameter, and all but the first have defaults. */
  def clustered(keys: Seq[Expression]): Distribution = {
    val distribution = classOf[ClusteredDistribution]
    val constructor = distribution.getConstructors.head
    val defaults = (2 to constructor.getParameterCount).map { i =>
      distribution.getMethod(s"$$lessinit$$greater$$default$$$i").invoke(null)
    }
    constructor.newInstance(keys +: defaults: _*).asInstanceOf[Distribution]
  }

  /** How an aggregate function that adds up meets an overflow, one of EvalMode's: what it is a part of is another class since 4.2. */
  def evalMode(sum: Product): Any = sum.productElement(1) match {
    case mode: Enumeration#Value => mode
    case context => context.getClass.getMethod("evalMode").invoke(context)
  }

  /** Opens a file that is there once it is closed, where none was there before: as Spark writes the logs of its checkpoints. */
  def writeOnce(file: Path, conf: Configuration): FSDataOutputStream =
    new CheckpointFiles(file, conf).create(file, overwrites = false)

  /** The class that does so for a path. */
  def writerOf(path: Path, conf: Configuration): String = new CheckpointFiles(path, conf).writer
}

/** Reads and writes files of checkpoints on any file system, as Spark does. The package of Spark's class is another one since 4.1.
  *
  * @param path a file in the file system that is meant
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

  /** Writes a file, in the place of one that is there, and the folder that it lies in. */
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

  private def call(of: AnyRef, name: String, arguments: (Class[_], AnyRef)*): AnyRef =
    try Manager.getMethod(name, arguments.map(_._1): _*).invoke(of, arguments.map(_._2): _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}

private object CheckpointFiles {
  val Manager: Class[_] = {
    val streaming = "org.apache.spark.sql.execution.streaming"
    try Class.forName(s"$streaming.checkpointing.CheckpointFileManager")
    catch { case _: ClassNotFoundException => Class.forName(s"$streaming.CheckpointFileManager") }
  }
}
