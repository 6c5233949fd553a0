package chronosketch.spark.rollup

import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.Sources
import chronosketch.spark.rollup.RollupTable.refused

/** Adds the batches of a stream to roll-ups, each once. */
object RollupBatches {

  /** Adds a batch in one commit. A batch that was added before changes nothing. The first batch creates the roll-up. */
  def add(
      session: SparkSession,
      into: String,
      plan: RollupPlan,
      rows: DataFrame,
      query: String,
      number: Long
  ): StepResult = {
    val batch = new StreamBatch(rows, query, number)
    if (!Sources.exists(session, into)) {
      refuseMissing(into, None, batch)
      RollupTable.create(session, into, plan.resolve(batch))
    }
    val definition = RollupTable.definitionOf(session, into)
    if (!definition.isFed)
      throw refused(
        "CHRONOSKETCH_ROLLUP_FED_OTHERWISE",
        "into" -> into,
        "feed" -> s"follows ${definition.source}",
        "procedure" -> "rollup_batch",
        "remedy" -> "Name another table as into."
      )
    plan.refuseOther(into, definition, "")
    Rollups.retrying(into)(attempt(session, into, batch))
  }

  private def attempt(session: SparkSession, into: String, batch: StreamBatch): Option[StepResult] = {
    val table = RollupTable.open(session, into)
    table.progress.foreach { before =>
      if (before.source.identity != batch.query)
        throw refused(
          "CHRONOSKETCH_ROLLUP_OTHER_STREAM",
          "into" -> into,
          "was" -> before.source.identity,
          "query" -> batch.query
        )
    }
    table.progress.filter(_.source.version >= batch.number) match {
      case Some(before) => Some(StepResult(before.step, before.source, 0, isNew = false))
      case None =>
        refuseMissing(into, table.progress, batch)
        RollupPlan.refuseOtherTypes(table, batch)
        Rollups.write(session, table, batch, "batch")(_.changed())
    }
  }

  /** Refuses a batch that does not come right after the last one. A new roll-up begins with batch 0, the first of a checkpoint. */
  private def refuseMissing(into: String, progress: Option[Progress], batch: StreamBatch): Unit = {
    val next = progress.fold(0L)(_.source.version + 1)
    if (batch.number > next)
      throw refused(
        "CHRONOSKETCH_ROLLUP_BATCHES_MISSING",
        "into" -> into,
        "query" -> batch.query,
        "batch" -> batch.number.toString,
        "next" -> next.toString
      )
  }

  /** Refuses a procedure that would read the source of a roll-up that has none. */
  private[rollup] def refuseFed(definition: RollupDefinition, into: String, procedure: String): Unit =
    if (definition.isFed)
      throw refused(
        "CHRONOSKETCH_ROLLUP_FED_OTHERWISE",
        "into" -> into,
        "feed" -> "is fed by a stream, whose rows are not kept",
        "procedure" -> procedure,
        "remedy" -> "Its stream adds each batch once. For a roll-up of a table, name another table as into."
      )
}
