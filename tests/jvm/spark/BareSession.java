package chronosketch.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.classic.SparkSession;
import scala.Option;
import scala.collection.immutable.Map$;

/** A session as it is where the jar came after its start: it shares another's tables, and has no extension. */
final class BareSession {
  private BareSession() {}

  static SparkSession beside(org.apache.spark.sql.SparkSession other) {
    SparkSession running = (SparkSession) other;
    SparkSession bare = new SparkSession(
            running.sparkContext(),
            Option.apply(running.sharedState()),
            Option.empty(),
            new SparkSessionExtensions(),
            Map$.MODULE$.empty(),
            Map$.MODULE$.empty());
    bare.sessionState(); // a session takes its rules at the first use, and this one is in use
    return bare;
  }
}
