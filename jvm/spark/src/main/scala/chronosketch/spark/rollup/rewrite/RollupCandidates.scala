package chronosketch.spark.rollup.rewrite

import java.lang.ref.SoftReference
import java.util.WeakHashMap

import scala.collection.concurrent.TrieMap
import scala.util.control.NonFatal

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}

import chronosketch.spark.following.TableNames
import chronosketch.spark.rollup.{RollupDefinition, RollupTable}
import chronosketch.spark.sql.Catalogs

/** A roll-up that follows a table, or why it can't be used. */
private[rewrite] final case class Candidate(name: String, table: Either[String, RollupTable])

/** Finds the roll-ups of a table. One that is broken does not disable the others. */
private[rewrite] object RollupCandidates {

  /** How long it is remembered whether a table is a roll-up, in milliseconds. */
  private val Remembered = 60000L
  private val MostRemembered = 10000

  private final case class Known(isRollup: Boolean, until: Long)

  /** The tables that a session knows by name, and the roll-ups that it opened, by name, id and version. */
  private final class Memory {
    val known = TrieMap.empty[String, Known]
    // a roll-up refers to its session, which has to stay collectable
    val opened = TrieMap.empty[(String, String, Long), SoftReference[RollupTable]]
  }

  private val memories = new WeakHashMap[SparkSession, Memory]

  private def memory(session: SparkSession): Memory =
    memories.synchronized(memories.computeIfAbsent(session, _ => new Memory))

  /** The roll-ups that follow a table, those with the fewest groups first. */
  def of(session: SparkSession, source: DeltaRelation): Seq[Candidate] = {
    val names = if (RewriteConf.tables.nonEmpty) RewriteConf.tables else discovered(session, source)
    names.flatMap { name =>
      try {
        val table = open(session, name)
        Option.when(table.progress.exists(_.source.identity == source.id))(Candidate(name, Right(table)))
      } catch { case NonFatal(e) => named(name, e) }
    }.sortBy(_.table.fold(_ => Int.MaxValue, _.definition.by.size))
  }

  /** A broken roll-up is only told of if the user named it: it may follow another table. */
  private def named(name: String, e: Throwable): Option[Candidate] =
    Option.when(RewriteConf.tables.nonEmpty)(Candidate(name, Left(reason(e))))

  def reason(e: Throwable): String =
    Option(e.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(e.toString)

  private def open(session: SparkSession, name: String): RollupTable = {
    val now = DeltaRelation.onlyOneIn(session.table(name).queryExecution.analyzed)
    now.fold(RollupTable.open(session, name)) { table =>
      val opened = memory(session).opened
      val key = (name, table.id, table.version)
      opened.get(key).flatMap(kept => Option(kept.get)).getOrElse {
        val anew = RollupTable.open(session, name)
        if (opened.size > MostRemembered) opened.clear()
        opened.put(key, new SoftReference(anew))
        anew
      }
    }
  }

  private def discovered(session: SparkSession, source: DeltaRelation): Seq[String] = {
    val current = (Catalogs.current(session), Catalogs.currentSchema(session))
    val own = source.relation.catalogTable.map(t =>
      (t.identifier.catalog.getOrElse("spark_catalog"), t.identifier.database.toSeq)
    )
    (own.toSeq :+ current).distinct.flatMap { case (catalog, schema) => rollupsIn(session, catalog, schema) }
  }

  private def rollupsIn(session: SparkSession, name: String, schema: Seq[String]): Seq[String] =
    try {
      Catalogs.named(session, name) match {
        case catalog: TableCatalog =>
          catalog.listTables(schema.toArray).toSeq.flatMap { table =>
            val full = (name +: table.namespace.toSeq :+ table.name).map(TableNames.quote).mkString(".")
            Option.when(isRollup(session, catalog, table, full))(full)
          }
        case _ => Nil
      }
    } catch { case NonFatal(_) => Nil }

  private def isRollup(
      session: SparkSession,
      catalog: TableCatalog,
      table: Identifier,
      full: String
  ): Boolean = {
    val known = memory(session).known
    val now = System.currentTimeMillis
    known.get(full).filter(_.until > now).getOrElse {
      val found =
        try catalog.loadTable(table).properties.containsKey(RollupDefinition.Property)
        catch { case NonFatal(_) => false }
      if (known.size > MostRemembered) known.clear()
      val fresh = Known(found, now + Remembered)
      known.put(full, fresh)
      fresh
    }.isRollup
  }
}
