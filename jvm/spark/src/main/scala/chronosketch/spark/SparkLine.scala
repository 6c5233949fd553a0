package chronosketch.spark

import java.lang.reflect.Constructor

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

  /** Rows of equal keys in one partition: 4.3 gave its class one more parameter, and all but the first have defaults. */
  def clustered(keys: Seq[Expression]): Distribution = {
    val distribution = classOf[ClusteredDistribution]
    val constructor = distribution.getConstructors.head
    val defaults = (2 to constructor.getParameterCount).map { i =>
      distribution.getMethod(s"$$lessinit$$greater$$default$$$i").invoke(null)
    }
    constructor.newInstance(keys +: defaults: _*).asInstanceOf[Distribution]
  }
}
