package chronosketch.sliding.fold

/** The operations that a [[Folding]] needs. Merging is associative. The objects that these methods return share no mutable state.
  */
trait Fold[A <: AnyRef] {

  /** Element i as a new object, which the caller may change. */
  def element(i: Int): A

  /** A copy of a partial aggregate that may be changed when the original must not be. */
  def copy(aggregate: A): A

  /** Merges an aggregate with that of the elements right after it. Returns `older`, changed, or a new object. `newer` stays
    * unchanged.
    */
  def merge(older: A, newer: A): A
}
