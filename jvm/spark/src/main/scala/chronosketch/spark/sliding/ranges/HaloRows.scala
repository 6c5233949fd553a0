package chronosketch.spark.sliding.ranges

import org.apache.spark.sql.catalyst.InternalRow

/** Counts the rows of a range and its halo as they are read.
  *
  * @param placeAt the index of the column with the rows' places
  */
final class HaloRows(rows: Iterator[InternalRow], placeAt: Int) extends Iterator[InternalRow] {
  private var befores, owns, afters = 0L

  def before: Long = befores
  def own: Long = owns
  def after: Long = afters

  override def hasNext: Boolean = rows.hasNext

  override def next(): InternalRow = {
    val row = rows.next()
    val kind = RowPlace.kind(row.getLong(placeAt))
    if (kind == RowPlace.Own) owns += 1
    else if (kind == RowPlace.Before) befores += 1
    else afters += 1
    row
  }
}
