package chronosketch.interchange.datadog

/** The library that wrote or will read the bytes. All use the same message, but Python interprets its mapping differently. */
sealed abstract class Library(val name: String)

object Library {

  /** sketches-java and sketches-go. */
  case object Java extends Library("java")

  /** sketches-py, `ddsketch` on PyPI. */
  case object Python extends Library("python")

  val all: Seq[Library] = Seq(Java, Python)
  def named(name: String): Option[Library] = all.find(_.name == name)
}

/** Which bins of a sketch may contain values of other bins, because the store had a limited number of bins. */
sealed abstract class Collapsed(val name: String)

object Collapsed {
  case object Nowhere extends Collapsed("none")

  /** The bins of the least magnitudes, of either sign. */
  case object Lowest extends Collapsed("lowest")

  /** The bins of the greatest magnitudes, of either sign. */
  case object Highest extends Collapsed("highest")

  val all: Seq[Collapsed] = Seq(Nowhere, Lowest, Highest)
  def named(name: String): Option[Collapsed] = all.find(_.name == name)
}
