package chronosketch.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and writes eight bytes of an array as one number, least significant byte first, in one instruction. Written in Java,
 * because Scala cannot express this.
 */
final class LittleEndian {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static long get(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static void put(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }
}
