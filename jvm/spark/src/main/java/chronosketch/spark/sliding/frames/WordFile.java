package chronosketch.spark.sliding.frames;

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
 * Stores columns of 64-bit words on the task's disk. They are written once and read as a whole any number of times, compressed and
 * encrypted as Spark's own spills are. This class is in Java because Spark keeps the location of such files private in Scala.
 */
final class WordFile {
  private final TempLocalBlockId block;
  private final File file;

  WordFile(long[][] columns) throws IOException {
    SparkEnv env = SparkEnv.get();
    Tuple2<TempLocalBlockId, File> place = env.blockManager().diskBlockManager().createTempLocalBlock();
    block = place._1();
    file = place._2();
    try (OutputStream out = env.serializerManager().wrapStream(block, new FileOutputStream(file))) {
      for (long[] column : columns) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * column.length);
        bytes.asLongBuffer().put(column);
        out.write(bytes.array());
      }
    }
  }

  /** Reads all columns into arrays of the same lengths as those that were written. */
  void read(long[][] columns) throws IOException {
    InputStream in = SparkEnv.get().serializerManager().wrapStream(block, new FileInputStream(file));
    try (DataInputStream whole = new DataInputStream(in)) {
      for (long[] column : columns) {
        byte[] bytes = new byte[8 * column.length];
        whole.readFully(bytes);
        ByteBuffer.wrap(bytes).asLongBuffer().get(column);
      }
    }
  }

  long bytes() {
    return file.length();
  }

  void delete() {
    file.delete();
  }
}
