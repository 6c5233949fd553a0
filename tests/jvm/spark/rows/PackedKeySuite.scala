package chronosketch.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalacheck.Gen
import org.scalacheck.Prop.forAllNoShrink

import chronosketch.{Cases, CheckSuite}
import chronosketch.domain.Domain
import chronosketch.spark.sql.KeyCodec

/** Compares the order of several columns packed into one key with Spark's order. */
class PackedKeySuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(150))

  private val types: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    DateType,
    YearMonthIntervalType(),
    DecimalType(1, 0),
    DecimalType(5, 2),
    DecimalType(9, 4)
  )

  private def value(dataType: DataType): Gen[Any] = dataType match {
    case BooleanType => Gen.oneOf(true, false)
    case other =>
      val values = KeyCodec.of(other).get
      val domain: Domain = values.domain
      Gen.oneOf(
        Gen.oneOf(domain.least, domain.least + 1, -1L, 0L, 1L, domain.greatest - 1, domain.greatest),
        Gen.choose(domain.least, domain.greatest),
        Gen.choose(-2L, 2L)
      ).map(values.value)
  }

  private val columns: Gen[Seq[SortOrder]] = for {
    n <- Gen.choose(2, 5)
    drawn <- Gen.listOfN(
      n,
      for {
        dataType <- Gen.oneOf(types)
        isNullable <- Gen.oneOf(true, false)
        isAscending <- Gen.oneOf(true, false)
        nulls <- Gen.oneOf(NullsFirst, NullsLast)
      } yield (dataType, isNullable, isAscending, nulls)
    )
  } yield drawn.zipWithIndex.map { case ((dataType, isNullable, isAscending, nulls), i) =>
    val direction = if (isAscending) Ascending else Descending
    SortOrder(BoundReference(i, dataType, isNullable), direction, nulls, Nil)
  }

  private val cases: Gen[(Seq[SortOrder], Seq[InternalRow])] = for {
    columns <- columns
    rows <- Gen.listOfN(
      40,
      Gen.sequence[Seq[Any], Any](columns.map { c =>
        if (c.child.nullable) Gen.frequency(1 -> Gen.const(null), 3 -> value(c.dataType))
        else value(c.dataType)
      })
    )
  } yield (columns, rows.map(InternalRow.fromSeq))

  private def bits(columns: Seq[SortOrder]): Int = columns.map { c =>
    val range = c.dataType match {
      case BooleanType => BigInt(2)
      case other =>
        val domain = KeyCodec.of(other).get.domain
        BigInt(domain.greatest) - domain.least + 1
    }
    (range - (if (c.child.nullable) 0 else 1)).bitLength
  }.sum

  property("packed keys have the order of their rows, compiled or not, and equal rows have equal keys") {
    forAllNoShrink(cases) { case (columns, rows) =>
      val packed = PackedKey.of(columns)
      assertEquals(packed.nonEmpty, bits(columns) <= 64, columns.toString)
      packed.foreach { key =>
        val compiled = UnsafeProjection.create(Seq(key))
        val keys = rows.map(key.eval(_).asInstanceOf[Long])
        rows.zip(keys).foreach { case (row, k) => assertEquals(compiled(row).getLong(0), k) }
        val spark = new InterpretedOrdering(columns)
        for ((a, x) <- rows.zip(keys); (b, y) <- rows.zip(keys))
          assertEquals(
            math.signum(java.lang.Long.compare(x, y)),
            math.signum(spark.compare(a, b)),
            s"$columns: $a, $b"
          )
      }
    }
  }

  test("only columns that together fit 64 bits are packed") {
    def fits(columns: (DataType, Boolean)*): Boolean = PackedKey.of(columns.zipWithIndex.map {
      case ((dataType, isNullable), i) => SortOrder(BoundReference(i, dataType, isNullable), Ascending)
    }).nonEmpty
    assert(fits(DateType -> false, IntegerType -> false))
    assert(!fits(DateType -> true, IntegerType -> false))
    assert(fits(ShortType -> true, IntegerType -> true, BooleanType -> true))
    assert(fits(TimestampType -> false) == fits(LongType -> false))
    assert(!fits(BooleanType -> false, LongType -> false))
    assert(!fits(ByteType -> false, DoubleType -> false))
    assert(!fits(ByteType -> false, StringType -> false))
    assert(!fits(ByteType -> false, NullType -> true))
  }
}
