package chronosketch

import scala.concurrent.duration._

import org.scalacheck.rng.Seed

/** A suite whose tests may take ten minutes: on a busy machine munit's default of 30 seconds ends tests that only wait for a core. */
trait Suite extends munit.FunSuite {
  override def munitTimeout: Duration = 10.minutes
}

/** A [[Suite]] with properties of scalacheck. Their random cases are the same in every run, and new ones in each run if
  * CHRONOSKETCH_CASES is greater than 1.
  */
trait CheckSuite extends munit.ScalaCheckSuite with Suite {
  override def scalaCheckInitialSeed: String =
    if (Cases.times > 1) super.scalaCheckInitialSeed else Seed(getClass.getName.hashCode.toLong).toBase64
}
