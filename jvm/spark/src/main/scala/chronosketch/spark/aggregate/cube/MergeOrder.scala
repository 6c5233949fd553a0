package chronosketch.spark.aggregate.cube

/** Chooses from which finer groups the groups of each grouping set are merged.
  *
  * Guarantee  each grouping set is merged from groups that have its keys, and each row is in each of its groups once
  * Cost       a set of keys is merged from one that has one key more. A CUBE of keys with 12, 40, 3 and 4 values has 5 760 finest
  *            groups, and makes 32 400 merges; 15 sets merged from the finest groups would make 86 400
  * Source     Gray et al., Data cube, Data Mining and Knowledge Discovery 1997. See docs/algorithms.md, Grouping sets
  *
  * The keys are taken away one after the other, each by a step. A group that a grouping set needs with the key goes on unchanged, and is
  * merged with others if one needs it without the key.
  */
private[cube] object MergeOrder {

  /** One step.
    *
    * @param key   the index of the key that it takes away
    * @param keep  the sets of keys, as bits, whose groups go on with the key
    * @param merge the sets of keys whose groups are merged with others that differ only in the key
    */
  final case class Step(key: Int, keep: Set[Long], merge: Set[Long])

  /** The steps that lead from the finest groups to all grouping sets. Only the sets themselves are left at the end.
    *
    * The key that most sets lack comes first; if several do, the last of them. Keys mostly go from coarse to fine, and taking a key of
    * many values away first leaves fewer groups to the other steps.
    */
  def of(keys: Int, sets: Seq[Long]): Seq[Step] = {
    val all = (1L << keys) - 1
    val lacking = (0 until keys).map(key => sets.count(set => (set & (1L << key)) == 0))
    val order = (0 until keys).filter(lacking(_) > 0).sortBy(key => (-lacking(key), -key))
    val taken = order.scanLeft(0L)((done, key) => done | (1L << key))
    // after the first keys were taken, sets that differ only in later keys still have the same groups
    val after = taken.map(done => sets.map(set => set | (all & ~done)).toSet)
    order.indices.map { i =>
      val bit = 1L << order(i)
      Step(
        order(i),
        after(i).intersect(after(i + 1)),
        after(i).filter(set => after(i + 1).contains(set & ~bit))
      )
    }
  }
}
