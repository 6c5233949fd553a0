package chronosketch.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import chronosketch.spark.advisor.AdviceConf
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.aggregate.columns.ColumnReads
import chronosketch.spark.aggregate.cube.GroupingSetsStrategy
import chronosketch.spark.aggregate.operator.SketchAggregateStrategy
import chronosketch.spark.history.HistoryOfStream
import chronosketch.spark.history.operator.HistoryStrategy
import chronosketch.spark.hopping.stream.{LateWatermark, TaskPanesStrategy}
import chronosketch.spark.hopping.{
  HoppingConf,
  HoppingPushdown,
  HoppingRewrite,
  HoppingStrategy,
  StreamStart
}
import chronosketch.spark.rollup.rewrite.{RewriteConf, RollupRewrite, RollupStrategy}
import chronosketch.spark.sketch.DirectReading
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sliding.exchange.PackedExchange
import chronosketch.spark.sliding.plan.SlidingStrategy
import chronosketch.spark.sql.Conditions
import chronosketch.spark.state.{StateCheck, StateDescription}
import chronosketch.spark.table.UnknownFunctions
import chronosketch.spark.warehouse.answers.WarehouseStrategy
import chronosketch.spark.window.MisplacedWindows

/** Adds chronosketch to a Spark session: functions, settings, rules and planner strategies.
  *
  * Spark 4 finds this class through META-INF/services if the jar is on the class path. Setting `spark.sql.extensions` to this class name
  * as well is allowed.
  */
final class ChronosketchExtensions extends SparkSessionExtensionsProvider {
  def apply(extensions: SparkSessionExtensions): Unit =
    if (ChronosketchExtensions.markApplied(extensions)) {
      Conditions.register()
      AggregateConf.register()
      SlidingConf.register()
      HoppingConf.register()
      AdviceConf.register()
      RewriteConf.register()
      FunctionTable.registrations.foreach(extensions.injectFunction)
      FunctionTable.tableRegistrations.foreach(extensions.injectTableFunction)
      extensions.injectCheckRule(_ => MisplacedWindows)
      extensions.injectCheckRule(_ => HistoryOfStream)
      extensions.injectPlanNormalizationRule(_ => HoppingRewrite)
      extensions.injectPlanNormalizationRule(_ => StateDescription)
      // looks at every expression, so it runs once a plan: optimizer rules run about eight times
      extensions.injectPreCBORule(_ => DirectReading)
      ChronosketchExtensions.optimizations.foreach(rule => extensions.injectOptimizerRule(_ => rule))
      ChronosketchExtensions.strategies.foreach(strategy => extensions.injectPlannerStrategy(_ => strategy))
      extensions.injectHintResolutionRule(_ => StreamStart)
      extensions.injectHintResolutionRule(
        new UnknownFunctions(_, FunctionTable.all, FunctionTable.tables)
      )
      extensions.injectColumnar(_ => StateCheck)
      extensions.injectColumnar(_ => LateWatermark)
      extensions.injectColumnar(_ => ColumnReads)
      extensions.injectQueryStagePrepRule(_ => PackedExchange.afterExchanges)
      extensions.injectColumnar(_ => PackedExchange)
    }
}

object ChronosketchExtensions {

  /** Planner strategies. Unlike other rules, [[Attach]] can add them to a running session. */
  private[spark] val strategies: Seq[SparkStrategy] = Seq(
    HoppingStrategy,
    RollupStrategy,
    GroupingSetsStrategy,
    SketchAggregateStrategy,
    HistoryStrategy,
    SlidingStrategy,
    WarehouseStrategy,
    TaskPanesStrategy
  )

  /** Optimizer rules, which [[Attach]] can add, too. */
  private[spark] val optimizations: Seq[Rule[LogicalPlan]] = Seq(HoppingPushdown, RollupRewrite)

  /** Extensions that have been applied: a session that both finds and configures this class applies it twice. */
  private val applied = Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  /** Records that extensions are applied. Returns whether this is the first time. */
  private def markApplied(extensions: SparkSessionExtensions): Boolean =
    applied.synchronized(applied.add(extensions))
}
