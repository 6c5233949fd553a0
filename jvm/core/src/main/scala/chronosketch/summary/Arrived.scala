package chronosketch.summary

/** The first `size` of these keys came, in this order. They may change with the next call of whoever holds them. */
private[chronosketch] final class Arrived(val keys: Array[Long], val size: Int)
