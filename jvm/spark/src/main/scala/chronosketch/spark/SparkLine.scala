package chronosketch.spark

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
}
