package chronosketch.spark

import org.apache.spark.sql.types.{DataType, TimeType}

/** What differs between the lines of Spark 4 that one jar runs on. */
object SparkLine {

  /** The precision of a TIME type; none for another type, and none on 4.0, which has no TIME: there its class must not be
    * asked for.
    */
  def timePrecision(dataType: DataType): Option[Int] =
    if (dataType.typeName.startsWith("time(")) Some(Times.precision(dataType)) else None

  /** TIME of a precision; DOUBLE's place is taken by an error on 4.0, where no stored sketch of times can be read. */
  def timeType(precision: Int): DataType = Times.of(precision)

  /** Loaded only where the class exists. */
  private object Times {
    def precision(dataType: DataType): Int = dataType.asInstanceOf[TimeType].precision
    def of(precision: Int): DataType = TimeType(precision)
  }
}
