package chronosketch.spark.sliding

/** A row's place, in 64 bits: the input partition that it came from and its number there, which tell rows of one key apart alike in
  * every range that has them; and what it is to its range.
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
