package chronosketch.imported.datadog

/** Whose bytes they are: Datadog's libraries write one message, and mean two things by it. */
sealed abstract class Library(val name: String)

object Library {

  /** sketches-java and sketches-go. */
  case object Java extends Library("java")

  /** sketches-py, `ddsketch` on PyPI. */
  case object Python extends Library("python")

  val all: Seq[Library] = Seq(Java, Python)
  def named(name: String): Option[Library] = all.find(_.name == name)
}

/** Which bins of a sketch have values of others, because there was no room for these. */
sealed abstract class Collapsed(val name: String)

object Collapsed {
  case object Nowhere extends Collapsed("none")

  /** Those of the least magnitudes, on either side of 0. */
  case object Lowest extends Collapsed("lowest")

  /** Those of the greatest. */
  case object Highest extends Collapsed("highest")

  val all: Seq[Collapsed] = Seq(Nowhere, Lowest, Highest)
  def named(name: String): Option[Collapsed] = all.find(_.name == name)
}
