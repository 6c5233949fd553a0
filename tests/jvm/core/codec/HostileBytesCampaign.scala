package chronosketch.codec

import java.io.{BufferedOutputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.collection.mutable

import chronosketch.{Campaign, Counts}

/** Changed bytes of all families, opened, asked, merged and stored again, by a command:
  * `./sbt "core/Test/runMain chronosketch.codec.HostileBytesCampaign 100000"`, with the first case, the seed and a file behind it if
  * wanted. Counts what becomes of them; fails where an exception is no refusal, a claim is false, a case takes longer than
  * [[Campaign.Limit]], or opening takes more memory than the bytes explain. The file gets the bytes of each case and what became of
  * them, for another decoder to be held against.
  */
object HostileBytesCampaign {
  private val WarmUp = 10000L

  /** Bytes that any case may take, once classes are loaded. */
  private val Beside = 1 << 17

  def main(arguments: Array[String]): Unit = {
    val cases = new ByteMutations(Campaign.seed(arguments))
    val file = arguments.drop(3).headOption.map { name =>
      new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(name)), 1 << 20))
    }
    val outcomes = mutable.Map.empty[String, Counts]
    var mostAllocated, mostBeyond = 0L
    // what the first ones take loads classes
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
      HostileBytes.requireSmall(c.bytes, opened, c.name, Beside)
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
