package chronosketch.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.classic.SparkSession;
import scala.Option;
import scala.collection.immutable.Map$;

/** Creates a session without the extension, as if the jar had been added after its start. It shares another session's tables. */
public final class BareSession {
  private BareSession() {}

  public static SparkSession beside(org.apache.spark.sql.SparkSession other) {
    return beside(other, new SparkSessionExtensions());
  }

  /** The same with extensions of a test. */
  public static SparkSession beside(
      org.apache.spark.sql.SparkSession other, SparkSessionExtensions extensions) {
    SparkSession running = (SparkSession) other;
    SparkSession bare = new SparkSession(
            running.sparkContext(),
            Option.apply(running.sharedState()),
            Option.empty(),
            extensions,
            Map$.MODULE$.empty(),
            Map$.MODULE$.empty());
    bare.sessionState(); // a session takes its rules at its first use, so use it now
    return bare;
  }
}
