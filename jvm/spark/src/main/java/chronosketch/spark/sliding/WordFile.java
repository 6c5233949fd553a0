package chronosketch.spark.sliding;

import java.io.DataInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.TempLocalBlockId;
import scala.Tuple2;

/**
 * Words on the task's disk, written once and read whole, any number of times; compressed and encrypted as Spark is told to.
 * Java, since Scala keeps where these are private to Spark.
 */
final class WordFile {
  private final TempLocalBlockId block;
  private final File file;
  private final int words;

  WordFile(long[] from) throws IOException {
    SparkEnv env = SparkEnv.get();
    Tuple2<TempLocalBlockId, File> place = env.blockManager().diskBlockManager().createTempLocalBlock();
    block = place._1();
    file = place._2();
    words = from.length;
    ByteBuffer bytes = ByteBuffer.allocate(8 * words);
    bytes.asLongBuffer().put(from);
    try (OutputStream out = env.serializerManager().wrapStream(block, new FileOutputStream(file))) {
      out.write(bytes.array());
    }
  }

  void read(long[] into) throws IOException {
    byte[] bytes = new byte[8 * words];
    InputStream in = SparkEnv.get().serializerManager().wrapStream(block, new FileInputStream(file));
    try (DataInputStream whole = new DataInputStream(in)) {
      whole.readFully(bytes);
    }
    ByteBuffer.wrap(bytes).asLongBuffer().get(into, 0, words);
  }

  long bytes() {
    return file.length();
  }

  void delete() {
    file.delete();
  }
}
