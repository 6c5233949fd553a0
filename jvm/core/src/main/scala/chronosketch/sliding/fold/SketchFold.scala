package chronosketch.sliding.fold

import chronosketch.families.Families
import chronosketch.summary.Summary

/** Unions of stored sketches: element i has the bytes sketches(i). What can't be merged, or is no sketch, is refused as everywhere. */
final class SketchFold(sketches: Int => Array[Byte]) extends Fold[Summary] {
  def element(i: Int): Summary = Families.open(sketches(i))

  def copy(joint: Summary): Summary = {
    val copied: Summary = joint.fresh
    copied.merge(joint)
    copied
  }

  def merge(older: Summary, newer: Summary): Summary = Summary.union(older, newer)
}
