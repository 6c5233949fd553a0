package chronosketch.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Eight bytes of an array as one number, least byte first, in one instruction: what Scala has no words for. */
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
