package chronosketch.spark.following

import java.lang.reflect.{InvocationTargetException, Method}

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession

/** Creates, publishes and drops branches of an Iceberg table.
  *
  * Iceberg is not on the class path when we compile, so this goes by the names of its methods. SQL would need Iceberg's extensions of the
  * session, and it has no statement that moves one branch and drops another in one commit.
  */
private[spark] final class IcebergBranches(session: SparkSession, name: String) {
  import IcebergBranches._

  private val table: AnyRef = {
    val loader = TableNames.catalog(session, name).get.getClass.getClassLoader
    val util = Class.forName("org.apache.iceberg.spark.Spark3Util", true, loader)
    val load = util.getMethods.find(m => m.getName == "loadIcebergTable" && m.getParameterCount == 2).get
    invoke(load, null, session, name)
  }

  /** Reads the newest metadata of the table, also into the cache of its catalog. */
  def refresh(): Unit = { call(table, Table, "refresh"); () }

  /** The newest snapshot of `main`. */
  def newest: Option[Long] = Option(call(table, Table, "currentSnapshot")).map(idOf)

  /** Creates a branch that begins at a snapshot. If it is left behind, `expire_snapshots` drops it. */
  def create(branch: String, snapshot: Long): Unit = retrying {
    manage(Seq("createBranch", branch, snapshot), Seq("setMaxRefAgeMs", branch, MaxAge))
  }

  /** Moves `main` to the end of a branch, drops the branch and moves a tag there, in one commit. Returns false and changes nothing if
    * `main` is not at the snapshot `from`.
    */
  def publish(branch: String, from: Long, tag: String): Boolean = retrying {
    refresh()
    newest.contains(from) && {
      val snapshot = idOf(call(table, Table, "snapshot", branch))
      manage(
        Seq("fastForwardBranch", "main", branch),
        Seq("removeBranch", branch),
        Seq(if (exists(tag)) "replaceTag" else "createTag", tag, snapshot)
      )
      true
    }
  }

  /** Drops a branch if it exists. A failure does no harm: the branch will expire. */
  def drop(branch: String): Unit =
    try retrying {
        refresh()
        if (exists(branch)) manage(Seq("removeBranch", branch))
      }
    catch { case NonFatal(_) => () }

  /** Tries again after another commit came first, which may be of another branch. */
  private def retrying[A](body: => A): A = {
    def attempt(left: Int): A =
      try body
      catch { case NonFatal(e) if left > 1 && ReadErrors.isConflict(e) => attempt(left - 1) }
    attempt(Attempts)
  }

  /** Whether there is a branch or a tag of this name. */
  private def exists(name: String): Boolean =
    call(table, Table, "refs").asInstanceOf[java.util.Map[String, _]].containsKey(name)

  /** Makes changes of branches and tags in one commit. Each is a method of Iceberg and its arguments. */
  private def manage(changes: Seq[Any]*): Unit = {
    val manager = call(table, Table, "manageSnapshots")
    changes.foreach(change => call(manager, Manager, change.head.toString, change.tail: _*))
    call(manager, Manager, "commit")
    ()
  }
}

private object IcebergBranches {
  private val Table = "org.apache.iceberg.Table"
  private val Manager = "org.apache.iceberg.ManageSnapshots"
  private val Snapshot = "org.apache.iceberg.Snapshot"

  private val Attempts = 10

  /** Seven days, in milliseconds. */
  private val MaxAge = 7 * 24 * 3600 * 1000L

  private def idOf(snapshot: AnyRef): Long =
    call(snapshot, Snapshot, "snapshotId").asInstanceOf[java.lang.Long]

  /** Calls a method of a public interface, because the classes that implement it are not public. */
  private def call(target: AnyRef, interface: String, method: String, arguments: Any*): AnyRef = {
    val loaded = Class.forName(interface, true, target.getClass.getClassLoader)
    val types = arguments.map {
      case _: java.lang.Long => java.lang.Long.TYPE
      case other => other.getClass
    }
    invoke(loaded.getMethod(method, types: _*), target, arguments: _*)
  }

  private def invoke(method: Method, target: AnyRef, arguments: Any*): AnyRef =
    try method.invoke(target, arguments.map(_.asInstanceOf[AnyRef]): _*)
    catch { case e: InvocationTargetException => throw e.getCause }
}
