package chronosketch.spark.sliding.functions

import org.apache.spark.sql.types.ArrayType

import chronosketch.spark.aggregate.ExtremeValues
import chronosketch.spark.sliding.frames.FrameBounds
import chronosketch.spark.sliding.keys.KeyOf
import chronosketch.spark.sliding.structures.{EndCount, EndKey, EndStructure, EndsForm}

/** Makes sliding calls of the functions that return the n least or the n greatest values. */
private object EndCalls {

  /** The largest n. Every element moves n pointers, so that Spark's own operator is as fast if n is larger. */
  private val Most = 64

  /** The call, or why Spark's own operator must run the function. */
  def of(
      window: WindowCall,
      function: ExtremeValues,
      frame: FrameBounds,
      choice: StructureChoice
  ): Either[String, SlidingCall] =
    for {
      key <- KeyOf.of(function.value).toRight(s"its values are ${function.value.dataType.sql}")
      _ <- Either.cond(function.count <= Most, (), s"n is ${function.count}, above $Most")
    } yield SlidingCall(
      window.source,
      Seq(window.filtered(key)),
      frame,
      EndStructure,
      Some(EndCount) +: (1 to function.count).map(place => Some(EndKey(place, function.isGreatest))),
      EndsForm(ArrayType(function.value.dataType, containsNull = false)),
      None,
      choice.refusedFor(EndStructure)
    )
}
