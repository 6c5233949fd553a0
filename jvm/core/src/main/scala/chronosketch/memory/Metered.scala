package chronosketch.memory

/** How does what holds memory tell its owner?
  *
  * Guarantee  the owner's meter counts [[heldBytes]] as of the last [[report]]
  * Cost       a comparison where nobody meters
  * Units      bytes, as [[Meter]] counts them
  * Merge      none
  */
trait Metered {
  private var meter: Meter = null
  private var reported = 0L

  /** What it holds now. */
  protected def heldBytes: Long

  /** From now on the memory that it holds counts on `owner`, and no longer on the owner before; null: on nobody. */
  def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-reported)
    meter = owner
    reported = 0L
    report()
  }

  /** To be called where what it holds has changed. */
  final protected def report(): Unit = if (meter != null) {
    val held = heldBytes
    meter.add(held - reported)
    reported = held
  }
}
