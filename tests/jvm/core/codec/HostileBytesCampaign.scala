package chronosketch.codec

import java.io.{BufferedOutputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.collection.mutable

import chronosketch.{Campaign, Counts}

/** Opens, queries, merges and stores randomly changed bytes of all families. Run it with
  * `./sbt "core/Test/runMain chronosketch.codec.HostileBytesCampaign 100000"`, optionally followed by the first case, the seed and a
  * file. Counts the outcomes. Fails if an exception is not a refusal, a claim is false, a case takes longer than [[Campaign.Limit]], or
  * opening allocates too much memory for the size of the bytes. The bytes and the outcome of each case are written to the file, so
  * that another decoder can be compared.
  */
object HostileBytesCampaign {
  private val WarmUp = 10000L

  /** The bytes that any case may allocate besides those for its input, once classes are loaded. */
  private val Extra = 1 << 17

  def main(arguments: Array[String]): Unit = {
    val cases = new ByteMutations(Campaign.seed(arguments))
    val file = arguments.drop(3).headOption.map { name =>
      new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(name)), 1 << 20))
    }
    val outcomes = mutable.Map.empty[String, Counts]
    var mostAllocated, mostBeyond = 0L
    // warm up, since the first cases load classes
    (-WarmUp until 0L).foreach(number => HostileBytes.open(cases(number).bytes))
    Campaign.run("hostile bytes", arguments) { number =>
      val c = cases(number)
      val opened = HostileBytes.open(c.bytes)
      mostAllocated = math.max(mostAllocated, opened.allocated)
      mostBeyond = math.max(mostBeyond, opened.allocated - 64L * c.bytes.length)
      val text = opened.result.fold(identity, s => s"${s.family} of ${s.count}")
      file.foreach { f =>
        f.writeInt(c.bytes.length)
        f.write(c.bytes)
        val utf = text.getBytes(UTF_8)
        f.writeInt(utf.length)
        f.write(utf)
      }
      outcomes.getOrElseUpdate(c.family, new Counts).add(opened.result.fold(identity, _ => "accepted"))
      HostileBytes.requireSmall(c.bytes, opened, c.name, Extra)
      HostileBytes.examine(c.bytes, opened.result, c.name)
    } {
      file.foreach(_.close())
      Seq(
        "outcomes" -> Counts.json(outcomes.toSeq.map { case (family, counts) => family -> counts.json }),
        "most bytes allocated" -> mostAllocated.toString,
        "most beyond 64 a byte" -> mostBeyond.toString
      )
    }
  }
}
