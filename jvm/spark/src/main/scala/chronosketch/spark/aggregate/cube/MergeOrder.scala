package chronosketch.spark.aggregate.cube

/** Chooses from which finer groups the groups of each grouping set are merged.
  *
  * Guarantee  each grouping set is merged from groups that have its keys, and each row is in each of its groups once
  * Cost       a set of keys is merged from one that has one key more. A CUBE of keys with 12, 40, 3 and 4 values has 5 760 finest
  *            groups, and makes 32 400 merges; 15 sets merged from the finest groups would make 86 400
  * Source     Gray et al., Data cube, Data Mining and Knowledge Discovery 1997. See docs/algorithms.md, Grouping sets
  *
  * The keys are taken away one after the other, each by a step; keys that the same grouping sets have are taken away together. A group
  * that a grouping set needs with the keys goes on unchanged, and is merged with others if one needs it without them.
  */
private[cube] object MergeOrder {

  /** One step.
    *
    * @param keys  the keys that it takes away, as bits
    * @param keep  the sets of keys, as bits, whose groups go on with these keys
    * @param merge the sets of keys whose groups are merged with others that differ only in these keys
    */
  final case class Step(keys: Long, keep: Set[Long], merge: Set[Long])

  /** The steps that lead from the finest groups to all grouping sets. Only the sets themselves are left at the end.
    *
    * The key that most sets lack comes first; if several do, the last of them. Keys mostly go from coarse to fine, and taking a key of
    * many values away first leaves fewer groups to the other steps.
    */
  def of(keys: Int, sets: Seq[Long]): Seq[Step] = {
    val all = (1L << keys) - 1
    val together = (0 until keys).groupBy(key => sets.map(set => (set & (1L << key)) == 0)).toSeq
    val order = together
      .map { case (lacks, same) => (lacks.count(identity), same) }
      .filter { case (lacking, _) => lacking > 0 }
      .sortBy { case (lacking, same) => (-lacking, -same.last) }
      .map { case (_, same) => same.map(1L << _).sum }
    val taken = order.scanLeft(0L)(_ | _)
    // after the first keys were taken, sets that differ only in later keys still have the same groups
    val after = taken.map(done => sets.map(set => set | (all & ~done)).toSet)
    order.indices.map { i =>
      Step(
        order(i),
        after(i).intersect(after(i + 1)),
        after(i).filter(set => after(i + 1).contains(set & ~order(i)))
      )
    }
  }
}
