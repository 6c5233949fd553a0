package chronosketch.spark.sliding.ranges

/** Encodes a row's place in 64 bits: the task that it came from, its number there, and whether it belongs to the range or its halo.
  * The task and the number order rows of equal keys in the same way in every range.
  */
object RowPlace {
  final val Own = 0L
  final val Before = 1L
  final val After = 2L
  private final val Kinds = 3L

  private final val KindBits = 2
  private final val NumberBits = 40

  def of(partition: Int, number: Long, kind: Long): Long =
    (((partition.toLong << NumberBits) | number) << KindBits) | kind

  def kind(place: Long): Long = place & Kinds
}
