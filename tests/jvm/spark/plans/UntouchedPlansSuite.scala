package chronosketch.spark.plans

import scala.concurrent.duration._

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ColumnarRule, ProjectExec, SortExec, SparkPlan}
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.{BareSession, ChronosketchExtensions, SparkSuite}

/** Tests that a query without our functions has the plans that it has in a session without the jar: analysed, optimised and physical,
  * with and without adaptive execution, equal to the letter.
  */
class UntouchedPlansSuite extends SparkSuite {
  override def munitTimeout: Duration = 10.minutes

  private val workloads = Seq(Workload.TpcDs, Workload.TpcH, Workload.OurShapes)
  private lazy val ours = spark.newSession().asInstanceOf[SparkSession]
  private lazy val bare = BareSession.beside(ours)

  override def beforeAll(): Unit = {
    super.beforeAll()
    workloads.foreach(_.create(ours))
  }

  override def afterAll(): Unit = {
    workloads.foreach(_.drop(ours))
    super.afterAll()
  }

  /** The names of the queries whose plans differ, with the differences. */
  private def differing(session: SparkSession, workload: Workload, adaptive: Boolean): Seq[String] = {
    Seq(session, bare).foreach { s =>
      s.conf.set(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key, adaptive)
      // texts that are cut short depend on the digits of ids
      s.conf.set(SQLConf.MAX_METADATA_STRING_LENGTH.key, 1000000)
      s.catalog.setCurrentDatabase(workload.database)
    }
    workload.queries.flatMap { case (name, query) =>
      PlanTexts.of(session, query).differences(PlanTexts.of(bare, query)).map(d => s"$name, $d")
    }
  }

  test("our session has our rules, the other one has none, and both have the same settings") {
    def rules(s: SparkSession): Seq[String] = {
      val state = s.sessionState
      val all = Seq[Seq[AnyRef]](
        state.planner.strategies,
        state.optimizer.batches.flatMap(_.rules),
        state.columnarRules,
        state.planNormalizationRules
      )
      all.flatten.map(_.getClass.getName).filter(_.startsWith("chronosketch."))
    }
    val ownRules = rules(ours).size
    assert(
      ownRules >= ChronosketchExtensions.strategies.size + ChronosketchExtensions.optimizations.size,
      ownRules
    )
    assertEquals(rules(bare), Nil)
    assertEquals(ours.conf.getAll, bare.conf.getAll)
    assertEquals(ours.conf.getAll.keys.filter(_.startsWith("spark.chronosketch.")).toSeq, Nil)
  }

  test("all queries of TPC-DS and TPC-H are there") {
    val names = Workload.TpcDs.queries.map(_._1.takeWhile(c => c == 'q' || c.isDigit)).distinct
    assertEquals(names, (1 to 99).map(i => s"q$i"))
    assertEquals(Workload.TpcH.queries.map(_._1), (1 to 22).map(i => s"q$i"))
  }

  for (workload <- workloads; adaptive <- Seq(true, false))
    test(
      s"plans of ${workload.database} are Spark's own, ${if (adaptive) "with" else "without"} adaptive execution"
    ) {
      assertEquals(differing(ours, workload, adaptive), Nil)
    }

  test("a rule that changes plans without need is noticed") {
    val extensions = new SparkSessionExtensions
    extensions.injectColumnar(_ => UntouchedPlansSuite.Copies)
    val changing = BareSession.beside(ours, extensions)
    val found = differing(changing, Workload.TpcH, adaptive = false)
    assert(found.exists(_.startsWith("q1, physical: ")), found)
  }
}

object UntouchedPlansSuite {

  /** Puts a projection that changes nothing above each sort. */
  private object Copies extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = plan =>
      plan.transformUp { case sort: SortExec => ProjectExec(sort.output, sort) }
  }
}
