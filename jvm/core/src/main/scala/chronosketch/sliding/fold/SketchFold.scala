package chronosketch.sliding.fold

import chronosketch.families.Families
import chronosketch.summary.Summary

/** Merges stored sketches: element i has the bytes sketches(i). Sketches that cannot be merged, and bytes that are not a sketch,
  * are rejected with the usual errors.
  */
final class SketchFold(sketches: Int => Array[Byte]) extends Fold[Summary] {
  def element(i: Int): Summary = Families.open(sketches(i))

  def copy(aggregate: Summary): Summary = {
    val copied: Summary = aggregate.fresh
    copied.merge(aggregate)
    copied
  }

  def merge(older: Summary, newer: Summary): Summary = Summary.union(older, newer)
}
