package chronosketch.spark.sql;

import chronosketch.Cancellation;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.Locale;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkRuntimeException;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.ShuffleWriteMetrics;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.errors.QueryExecutionErrors;
import org.apache.spark.sql.execution.datasources.parquet.ParquetDictionary;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.execution.vectorized.Dictionary;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterSpillWriter;
import scala.Function1;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.concurrent.Future;

/**
 * Gives access to members of Spark that are private in Scala but visible to Java. The errors created here arrive in PySpark,
 * classic and Connect, as pyspark.errors.SparkRuntimeException.
 */
public final class SparkPrivates {
  private SparkPrivates() {}

  public static RuntimeException runtimeException(String condition, Map<String, String> parameters, Throwable cause) {
    return new SparkRuntimeException(condition, parameters, cause, new QueryContext[0], "");
  }

  public static void register(SparkSessionExtensions extensions, FunctionRegistry registry) {
    extensions.registerFunctions(registry);
  }

  public static void register(SparkSessionExtensions extensions, TableFunctionRegistry registry) {
    extensions.registerTableFunctions(registry);
  }

  /** The extensions from which a session, and sessions created from it later, take their functions and rules. */
  public static SparkSessionExtensions extensions(SparkSession session) {
    return session.extensions();
  }

  /** A new session with a copy of this session's settings; they can then change independently. */
  public static SparkSession cloned(SparkSession session) {
    return session.cloneSession();
  }

  /** The streaming queries that run now, in all sessions. Their class has moved between versions of Spark. */
  public static Collection<?> runningStreams(SparkSession session) {
    return session.sharedState().activeStreamingQueries().values();
  }

  public static Dataset<Row> frame(SparkSession session, LogicalPlan plan) {
    return Dataset$.MODULE$.ofRows(session, plan);
  }

  /** Normalises a key to one zero and one NaN, as Spark does in its own aggregations. */
  public static Expression normalizeFloatingNumbers(Expression key) {
    return NormalizeFloatingNumbers$.MODULE$.normalize(key);
  }

  /** Registers a Boolean setting, so that SET checks and lists it. */
  public static void declareBoolean(String name, String doc, String version, boolean value) {
    SQLConf.buildConf(name).doc(doc).version(version).booleanConf().createWithDefault(value);
  }

  /** Registers a setting that is a list of names. */
  public static void declareNames(
      String name, String doc, String version, Function1<Seq<String>, Object> areKnown, String known) {
    SQLConf.buildConf(name)
        .doc(doc)
        .version(version)
        .stringConf()
        .toSequence()
        .checkValue(areKnown, known)
        .createWithDefaultString("");
  }

  /** Registers a setting that is one of several names, in lower case. */
  public static void declareName(String name, String doc, String version, java.util.List<String> known) {
    SQLConf.buildConf(name)
        .doc(doc)
        .version(version)
        .stringConf()
        .checkValue(
            value -> known.contains(value.toLowerCase(Locale.ROOT)), "It is one of " + String.join(", ", known) + ".")
        .createWithDefault(known.get(0));
  }

  private static final VarHandle DICTIONARY = field(WritableColumnVector.class, "dictionary", Dictionary.class);
  private static final VarHandle PARQUET_DICTIONARY =
      field(ParquetDictionary.class, "dictionary", org.apache.parquet.column.Dictionary.class);

  /**
   * The dictionary in which a vector of texts has positions. Equal positions in the same object are equal texts. null if the vector has no
   * dictionary, or this version of Spark does not have these fields.
   */
  public static Object dictionaryOf(WritableColumnVector vector) {
    if (DICTIONARY == null || PARQUET_DICTIONARY == null) return null;
    Object dictionary = DICTIONARY.get(vector);
    // Spark wraps the dictionary of a file anew for each batch
    return dictionary instanceof ParquetDictionary ? PARQUET_DICTIONARY.get((ParquetDictionary) dictionary) : dictionary;
  }

  private static VarHandle field(Class<?> of, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(of, MethodHandles.lookup()).findVarHandle(of, name, type);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  public static RuntimeException divideByZero() {
    return QueryExecutionErrors.divideByZeroError(null);
  }

  /** Registers a setting that is a text, empty by default. */
  public static void declareText(String name, String doc, String version) {
    SQLConf.buildConf(name).doc(doc).version(version).stringConf().createWithDefault("");
  }

  /** Registers a setting that is a whole number of at least 0. */
  public static void declareCount(String name, String doc, String version, int value) {
    SQLConf.buildConf(name)
        .doc(doc)
        .version(version)
        .intConf()
        .checkValue(count -> (int) count >= 0, name + " must be 0 or more")
        .createWithDefault(value);
  }

  /** Registers a setting that is above 0 and at most `greatest`. */
  public static void declareShare(String name, String doc, String version, double value, double greatest) {
    SQLConf.buildConf(name)
        .doc(doc)
        .version(version)
        .doubleConf()
        .checkValue(
            share -> (double) share > 0 && (double) share <= greatest,
            name + " must be above 0 and at most " + greatest)
        .createWithDefault(value);
  }

  /**
   * Submits the job of an exchange. It can be cancelled by what is returned.
   *
   * @param <A> MapOutputStatistics, which Scala cannot name
   */
  @SuppressWarnings("unchecked")
  public static <A> Future<A> statisticsOf(ShuffleExchangeExec exchange) {
    return (Future<A>) exchange.mapOutputStatisticsFuture();
  }

  public static TaskMemoryManager memoryOf(TaskContext task) {
    return task.taskMemoryManager();
  }

  /**
   * Ends a task that Spark has killed; does nothing outside of a task. It reads one volatile field. Spark itself checks where a
   * task reads its input, but not where rows leave an operator.
   */
  public static void endIfKilled(TaskContext task) {
    if (task != null) task.killTaskIfInterrupted();
  }

  /** Ends a task that Spark has killed, at one row in 256. For loops whose rows are cheaper than reading a volatile field. */
  public static void endIfKilled(TaskContext task, long row) {
    if ((row & 255) == 0) endIfKilled(task);
  }

  /** The cancellation of computations of a task, which ends them if Spark has killed it. */
  public static Cancellation cancellationOf(TaskContext task) {
    return () -> endIfKilled(task);
  }

  /** Adds bytes to the task's metric of data spilled to disk. */
  public static void addSpilled(TaskContext task, long bytes) {
    task.taskMetrics().incDiskBytesSpilled(bytes);
  }

  /** Opens a file of the task for n rows, written unsorted. */
  public static UnsafeSorterSpillWriter fileOf(int rows) throws IOException {
    return new UnsafeSorterSpillWriter(
        SparkEnv.get().blockManager(), 1 << 20, new ShuffleWriteMetrics(), rows);
  }
}
