package chronosketch.sliding.fold

/** What a [[Folding]] folds: any two neighbours can be joined, and the same comes out whichever are joined first. No two of these objects
  * share what can change.
  */
trait Fold[A <: AnyRef] {

  /** Element i, as a new object, which may then be changed. */
  def element(i: Int): A

  /** Another object that stands for the same elements, which may be changed when this one may not. */
  def copy(joint: A): A

  /** Elements and those that came right after them, as one: `older`, changed, or a new object. `newer` stays what it was. */
  def merge(older: A, newer: A): A
}
