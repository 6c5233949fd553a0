package chronosketch

import scala.concurrent.duration._

/** A suite whose tests may take ten minutes: on a busy machine munit's default of 30 seconds ends tests that only wait for a core. */
trait Suite extends munit.FunSuite {
  override def munitTimeout: Duration = 10.minutes
}

/** A [[Suite]] with properties of scalacheck. */
trait CheckSuite extends munit.ScalaCheckSuite with Suite
