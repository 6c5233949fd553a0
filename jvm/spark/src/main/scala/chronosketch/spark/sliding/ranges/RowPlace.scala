package chronosketch.spark.sliding.ranges

/** A row's place, in 64 bits: the task that it came from, its number there, and whether it belongs to its range or to the halo. The
  * first two order rows of one key in the same way in every range that has them.
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
