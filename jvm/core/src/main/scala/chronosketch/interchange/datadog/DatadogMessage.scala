package chronosketch.interchange.datadog

import java.util.TreeMap

import scala.jdk.CollectionConverters._

import chronosketch.Refusal

/** A DDSketch as Datadog's libraries store it: the counts of the bins of either sign, and the parameters of their edges.
  *
  * Guarantee  bytes that are not such a message are refused; memory is proportional to the number of bytes
  * Source     DDSketch.proto of sketches-java, sketches-go and sketches-py
  */
private[datadog] final case class DatadogMessage(
    gamma: Double,
    indexOffset: Double,
    interpolation: Int,
    positive: DatadogMessage.Store,
    negative: DatadogMessage.Store,
    zeros: Long
)

private[datadog] object DatadogMessage {

  /** The non-empty bins: their indexes, increasing, and their counts. */
  final case class Store(indexes: Array[Int], counts: Array[Long])

  // field numbers of the messages
  private val Mapping = 1
  private val Positive = 2
  private val Negative = 3
  private val Zeros = 4
  private val Gamma = 1
  private val Offset = 2
  private val Interpolation = 3
  private val Sparse = 1
  private val Contiguous = 2
  private val First = 3

  def read(bytes: Array[Byte]): DatadogMessage = {
    def refusal(reason: String): Refusal = DatadogSketch.refusal(bytes.length, reason)

    /** Converts a count, which is a double in the message. */
    def whole(count: Double): Long = {
      if (!(count >= 0 && count == math.rint(count) && count < Long.MaxValue.toDouble)) {
        throw refusal(
          s"a bin counts $count values, and counts are whole numbers of 63 bits here. Build the sketch without weights, or multiply them by what makes " +
            "them whole"
        )
      }
      count.toLong
    }

    final class StoreBuilder {
      private val sparse = new TreeMap[Int, Double]
      private val contiguous = Array.newBuilder[Double]
      private var first = 0

      def read(in: ProtobufReader): Unit = while (in.next()) in.field match {
        case Sparse =>
          val entry = in.message()
          var index = 0
          var count = 0.0
          while (entry.next()) entry.field match {
            case 1 => index = entry.signed()
            case 2 => count = entry.double()
            case _ => entry.skip()
          }
          sparse.put(index, count)
          ()
        case Contiguous => in.repeatedDoubles(count => { contiguous += count; () })
        case First => first = in.signed()
        case _ => in.skip()
      }

      def result: Store = {
        contiguous.result().zipWithIndex.foreach { case (count, i) =>
          if (count != 0) {
            val index = first.toLong + i
            if (index > Int.MaxValue) throw refusal(s"they have a bin of index $index")
            sparse.merge(index.toInt, count, (a: Double, b: Double) => a + b)
          }
        }
        val nonEmpty =
          sparse.asScala.iterator.map { case (i, count) => (i, whole(count)) }.filter(_._2 > 0).toArray
        Store(nonEmpty.map(_._1), nonEmpty.map(_._2))
      }
    }

    var gamma, offset, zeros = 0.0
    var interpolation = 0
    var hasMapping = false
    val positive, negative = new StoreBuilder
    val in = new ProtobufReader(bytes, 0, bytes.length)
    while (in.next()) in.field match {
      case Mapping =>
        val mapping = in.message()
        hasMapping = true
        while (mapping.next()) mapping.field match {
          case Gamma => gamma = mapping.double()
          case Offset => offset = mapping.double()
          case Interpolation if mapping.wireType == Protobuf.Varint => interpolation = mapping.varint().toInt
          case _ => mapping.skip()
        }
      case Positive => positive.read(in.message())
      case Negative => negative.read(in.message())
      case Zeros => zeros = in.double()
      case _ => in.skip()
    }
    // the libraries write one for an empty sketch, too
    if (!hasMapping) throw refusal("they have no mapping, which tells the edges of the bins")
    DatadogMessage(gamma, offset, interpolation, positive.result, negative.result, whole(zeros))
  }

  def write(message: DatadogMessage, denseOnly: Boolean): Array[Byte] = {
    val out = new ProtobufWriter
    out.message(Mapping) { mapping =>
      mapping.double(Gamma, message.gamma)
      mapping.double(Offset, message.indexOffset)
      mapping.number(Interpolation, message.interpolation)
    }
    out.message(Positive)(writeStore(_, message.positive, denseOnly))
    out.message(Negative)(writeStore(_, message.negative, denseOnly))
    out.double(Zeros, message.zeros.toDouble)
    out.bytes
  }

  /** Writes the bins contiguously, 8 bytes per index, or as sparse entries of about twice that, whichever is shorter. */
  private def writeStore(out: ProtobufWriter, store: Store, denseOnly: Boolean): Unit =
    if (store.indexes.nonEmpty) {
      val first = store.indexes.head
      val span = store.indexes.last.toLong - first + 1
      if (denseOnly || span <= 2L * store.indexes.length) {
        val counts = new Array[Double](span.toInt)
        store.indexes.indices.foreach(i => counts(store.indexes(i) - first) = store.counts(i).toDouble)
        out.packed(Contiguous, counts)
        out.signed(First, first)
      } else store.indexes.indices.foreach { i =>
        out.message(Sparse) { entry =>
          entry.signed(1, store.indexes(i))
          entry.double(2, store.counts(i).toDouble)
        }
      }
    }
}
