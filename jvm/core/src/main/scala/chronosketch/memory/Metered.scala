package chronosketch.memory

/** Reports the memory that an object holds to its owner's [[Meter]].
  *
  * Guarantee  the owner's meter counts [[heldBytes]] as of the last [[report]]
  * Cost       a null check if there is no meter
  * Units      bytes, as [[Meter]] counts them
  */
trait Metered {
  private var meter: Meter = null
  private var reported = 0L

  /** The memory that the object holds now. */
  protected def heldBytes: Long

  /** Counts the held memory on `owner` from now on, and no longer on the previous owner. null: on nobody. */
  def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-reported)
    meter = owner
    reported = 0L
    report()
  }

  /** Must be called when [[heldBytes]] has changed. */
  final protected def report(): Unit = if (meter != null) {
    val held = heldBytes
    meter.add(held - reported)
    reported = held
  }
}
