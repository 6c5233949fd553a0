package chronosketch.spark.warehouse.runs

import java.nio.ByteBuffer

import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}

/** An input file that counts the bytes read from it: Spark's own count misses vectored reads. */
private[runs] final class CountedInput(file: InputFile, count: Long => Unit) extends InputFile {
  def getLength: Long = file.getLength

  def newStream(): SeekableInputStream = {
    val stream = file.newStream()
    new DelegatingSeekableInputStream(stream) {
      override def getPos: Long = stream.getPos
      override def seek(position: Long): Unit = stream.seek(position)

      override def read(): Int = {
        val byte = stream.read()
        if (byte >= 0) count(1)
        byte
      }
      override def read(bytes: Array[Byte], from: Int, length: Int): Int =
        counted(stream.read(bytes, from, length))
      override def read(buffer: ByteBuffer): Int = counted(stream.read(buffer))
      override def readFully(bytes: Array[Byte]): Unit = readFully(bytes, 0, bytes.length)
      override def readFully(bytes: Array[Byte], from: Int, length: Int): Unit = {
        stream.readFully(bytes, from, length)
        count(length.toLong)
      }
      override def readFully(buffer: ByteBuffer): Unit = {
        val length = buffer.remaining
        stream.readFully(buffer)
        count(length.toLong)
      }
    }
  }

  private def counted(read: Int): Int = {
    if (read > 0) count(read.toLong)
    read
  }
}
