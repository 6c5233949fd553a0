package chronosketch.spark;

import org.apache.spark.QueryContext;
import org.apache.spark.SparkRuntimeException;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import scala.collection.immutable.Map;

/**
 * What Scala keeps private to Spark and this library needs: Java sees it. An error of this class arrives in PySpark, classic
 * and Connect, as pyspark.errors.SparkRuntimeException.
 */
final class SparkPrivates {
  private SparkPrivates() {}

  static RuntimeException runtimeException(String condition, Map<String, String> parameters, Throwable cause) {
    return new SparkRuntimeException(condition, parameters, cause, new QueryContext[0], "");
  }

  static void register(SparkSessionExtensions extensions, FunctionRegistry registry) {
    extensions.registerFunctions(registry);
  }
}
