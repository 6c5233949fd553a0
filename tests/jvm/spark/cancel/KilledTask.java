package chronosketch.spark.cancel;

import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import scala.Option;

/** Marks a task as killed, as Spark's executor does. In Java, because Scala code cannot access this part of Spark. */
public final class KilledTask {
  private KilledTask() {}

  public static void kill(TaskContext task) {
    ((TaskContextImpl) task).markInterrupted("killed by a test");
  }

  /** Takes the mark back: Spark would repeat a task that ends with it. */
  public static void revive(TaskContext task) {
    try {
      Field reason = TaskContextImpl.class.getDeclaredField("reasonIfKilled");
      reason.setAccessible(true);
      reason.set(task, Option.empty());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  public static boolean isKill(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) if (at instanceof TaskKilledException) return true;
    return false;
  }

  /** The files of tasks in Spark's local folders, which tasks delete when they end. */
  public static List<String> taskFiles() {
    List<String> names = new ArrayList<>();
    scala.collection.Iterator<File> files =
        SparkEnv.get().blockManager().diskBlockManager().getAllFiles().iterator();
    while (files.hasNext()) {
      String name = files.next().getName();
      if (name.startsWith("temp_local_")) names.add(name);
    }
    return names;
  }

  /** Makes Spark fail each task that ends with memory that it has not released. Returns the old setting. */
  public static String refuseLeaks(String setting) {
    String name = "spark.unsafe.exceptionOnMemoryLeak";
    String before = SparkEnv.get().conf().get(name, "false");
    SparkEnv.get().conf().set(name, setting);
    return before;
  }
}
