package chronosketch.spark.memory

import java.lang.reflect.{Array => Arrays, Field, Modifier}
import java.util.{ArrayDeque, IdentityHashMap}

import scala.collection.mutable

import chronosketch.memory.Meter

/** The bytes that our operators of a task hold, found by walking the heap, and those that they have requested from Spark. */
final case class HeldHeap(held: Long, requested: Long)

/** Walks the heap from the iterator that an operator returns.
  *
  * It follows references to our own objects, to collections, to arrays and to the rows and pages in these, but not to other objects of
  * Spark: sorters, metrics and plans have books of their own.
  */
object HeldHeap {
  def of(root: AnyRef): HeldHeap = {
    val seen = new IdentityHashMap[AnyRef, AnyRef]
    val open = new ArrayDeque[AnyRef]
    var held, requested = 0L
    def reach(o: AnyRef): Unit = if (o != null && !seen.containsKey(o)) {
      seen.put(o, o)
      open.add(o)
    }
    reach(root)
    while (!open.isEmpty) {
      open.poll() match {
        case memory: SlidingMemory => requested += memory.getUsed
        // it requests an eighth more than the meter counts, to ask less often
        case memory: AggregateMemory => requested += meterOf.get(memory).asInstanceOf[Meter].bytes
        case array if array.getClass.isArray =>
          val length = Arrays.getLength(array)
          val component = array.getClass.getComponentType
          held += aligned(16L + length.toLong * bytes(component))
          if (!component.isPrimitive) {
            var i = 0
            while (i < length) { reach(Arrays.get(array, i)); i += 1 }
          }
        case o if isFollowed(o.getClass.getName) =>
          var own = 12L
          fields(o.getClass).foreach { field =>
            own += bytes(field.getType)
            if (!field.getType.isPrimitive) reach(field.get(o))
          }
          held += aligned(own)
        case _ =>
      }
    }
    HeldHeap(held, requested)
  }

  private val meterOf: Field = {
    val field = classOf[AggregateMemory].getDeclaredFields.find(_.getType == classOf[Meter]).get
    field.setAccessible(true)
    field
  }

  private val followed = Seq(
    "chronosketch.",
    "scala.collection.",
    "scala.Tuple",
    "scala.Some",
    "java.util.",
    "org.apache.spark.unsafe.memory.MemoryBlock",
    "org.apache.spark.sql.catalyst.expressions.UnsafeRow",
    "org.apache.spark.sql.catalyst.expressions.GenericInternalRow"
  )

  private def isFollowed(name: String): Boolean =
    followed.exists(name.startsWith) && !name.endsWith("Spec") && !name.contains("java.util.concurrent")

  private val fieldsOf = mutable.HashMap.empty[Class[_], Seq[Field]]

  private def fields(c: Class[_]): Seq[Field] = fieldsOf.getOrElseUpdate(
    c, {
      val own = c.getDeclaredFields.toSeq.filterNot(f => Modifier.isStatic(f.getModifiers))
      own.foreach(_.setAccessible(true))
      own ++ Option(c.getSuperclass).filter(_ != classOf[Object]).fold(Seq.empty[Field])(fields)
    }
  )

  private def bytes(c: Class[_]): Long = c match {
    case java.lang.Long.TYPE | java.lang.Double.TYPE => 8L
    case java.lang.Short.TYPE | java.lang.Character.TYPE => 2L
    case java.lang.Byte.TYPE | java.lang.Boolean.TYPE => 1L
    case _ => 4L // numbers, and compressed references
  }

  private def aligned(bytes: Long): Long = (bytes + 7) / 8 * 8
}
