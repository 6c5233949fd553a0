package chronosketch.spark.warehouse.manifest

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.DataType

import chronosketch.Refusal
import chronosketch.warehouse.{DamagedWarehouse, MemoryShares}

/** Encodes a state as text and decodes it.
  *
  * Guarantee  [[decode]] returns only what [[encode]] wrote and nobody changed since (CRC32C)
  *
  * The first line has the format, the checksum and the length of the JSON that follows.
  */
private[manifest] object StateCodec {
  private val Format = 1
  private val First = s"""chronosketch warehouse (\\d+) ([0-9a-f]{8}) (\\d+)""".r
  private val json = new ObjectMapper

  def encode(state: State): Array[Byte] = {
    val body = json.writerWithDefaultPrettyPrinter().writeValueAsBytes(node(state))
    val first = f"chronosketch warehouse $Format ${checksum(body)}%08x ${body.length}%d\n"
    first.getBytes(UTF_8) ++ body
  }

  /** Decodes a state. `name` is that of the file, for messages. */
  def decode(name: String, bytes: Array[Byte]): State = {
    def damaged(why: String): Nothing =
      throw DamagedWarehouse(s"$name $why")
    val end = bytes.indexOf('\n'.toByte)
    if (end < 0) damaged("is cut short")
    new String(bytes, 0, end, UTF_8) match {
      case First(format, sum, length) =>
        if (format != Format.toString)
          throw Refusal(
            "CHRONOSKETCH_WAREHOUSE_NEWER",
            "format" -> format,
            "known" -> Format.toString,
            "version" -> chronosketch.Version.value
          )
        val body = bytes.drop(end + 1)
        if (body.length.toString != length) damaged(s"has ${body.length} bytes, but should have $length")
        if (f"${checksum(body)}%08x" != sum) damaged("was changed: its checksum does not match")
        try state(json.readTree(body))
        catch { case NonFatal(e) => damaged(s"has contents that can't be right: ${e.getMessage}") }
      case _ => damaged("is not a manifest")
    }
  }

  private def checksum(body: Array[Byte]): Int = {
    val crc = new CRC32C
    crc.update(body, 0, body.length)
    crc.getValue.toInt
  }

  private def node(s: State): ObjectNode = {
    val root = json.createObjectNode()
    root.put("version", s.version).put("commit", s.commit).put("at", s.committedAt)
    val d = root.putObject("definition")
    d.put("id", s.definition.id).put("value", s.definition.value)
    val by = d.putArray("by")
    s.definition.by.foreach(by.add)
    s.definition.types.foreach { types =>
      val all = d.putArray("types")
      types.foreach(t => all.add(json.readTree(t.json)))
    }
    s.definition.limits match {
      case ErrorLimits(epsilon1, epsilon2) => d.put("epsilon1", epsilon1).put("epsilon2", epsilon2)
      case MemoryLimits(shares) => d.put("memory", shares.bytes).put("steps", shares.steps)
    }
    d.put("kappa", s.definition.kappa)
    val entries = root.putArray("lines")
    s.runs.foreach(run => putEntry(entries.addObject().put("kind", "run"), run))
    s.open.foreach { step =>
      step.live.foreach(putEntry(entries.addObject().put("kind", "live"), _))
      val open = root.putObject("open").put("id", step.id)
      step.until.foreach(open.put("until", _))
    }
    val written = root.putArray("written")
    s.writers.foreach(w =>
      written.addObject().put("writer", w.writer).put("batch", w.batch).put("step", w.step)
    )
    val streamed = root.putArray("streamed")
    s.streams.foreach(b => streamed.addObject().put("query", b.query).put("batch", b.batch))
    root
  }

  private def putEntry(target: ObjectNode, entry: ManifestEntry): Unit = {
    target.put("id", entry.id).put("level", entry.level)
    entry match {
      case run: Run =>
        target.put("first_step", run.firstStep).put("last_step", run.lastStep).put("steps", run.steps)
      case _: LiveBatch => ()
    }
    target.put("rows", entry.rows).put("nulls", entry.nulls)
    entry.keyRange.foreach { case (least, greatest) => target.put("min_key", least).put("max_key", greatest) }
    entry.summary.foreach(putFile(target.putObject("summary"), _))
    val files = target.putArray("files")
    entry.files.foreach(file => putFile(files.addObject(), file))
  }

  private def putFile(target: ObjectNode, file: EntryFile): Unit = {
    target.put("name", file.name).put("rows", file.rows).put("bytes", file.bytes)
    ()
  }

  private def state(from: JsonNode): State = {
    val d = from.required("definition")
    val entries = each(from, "lines").toIndexedSeq.groupBy(_.required("kind").asText)
    (entries.keySet - "run" - "live").foreach(kind =>
      throw new IllegalArgumentException(s"$kind is not a kind of entry")
    )
    def kind(name: String): IndexedSeq[JsonNode] = entries.getOrElse(name, IndexedSeq.empty)
    State(
      Definition(
        d.required("id").asText,
        d.required("value").asText,
        each(d, "by").map(_.asText),
        if (d.has("types")) Some(each(d, "types").map(t => DataType.fromJson(t.toString))) else None,
        limits(d),
        d.required("kappa").intValue
      ),
      long(from, "version"),
      from.required("commit").asText,
      long(from, "at"),
      kind("run").map(run),
      open(Option(from.get("open")), kind("live").map(live)),
      each(from, "written").map(w =>
        WriterBatch(w.required("writer").asText, long(w, "batch"), long(w, "step"))
      ),
      each(from, "streamed").map(b => StreamBatch(b.required("query").asText, long(b, "batch")))
    )
  }

  private def limits(d: JsonNode): SummaryLimits =
    if (d.has("memory"))
      MemoryLimits(MemoryShares(long(d, "memory"), long(d, "steps"), d.required("kappa").intValue))
    else ErrorLimits(d.required("epsilon1").doubleValue, d.required("epsilon2").doubleValue)

  private def open(step: Option[JsonNode], live: IndexedSeq[LiveBatch]): Option[OpenStep] = {
    require(
      step.isEmpty == live.isEmpty,
      "it has live batches without an open step, or an open step without batches"
    )
    step.map(s => OpenStep(s.required("id").asText, Option.when(s.has("until"))(long(s, "until")), live))
  }

  private def run(from: JsonNode): Run = checked(
    from,
    Run(
      from.required("id").asText,
      from.required("level").intValue,
      long(from, "first_step"),
      long(from, "last_step"),
      long(from, "steps"),
      long(from, "nulls"),
      range(from),
      each(from, "files").map(file),
      Option(from.get("summary")).map(file)
    )
  )

  private def live(from: JsonNode): LiveBatch = checked(
    from,
    LiveBatch(
      from.required("id").asText,
      from.required("level").intValue,
      long(from, "nulls"),
      range(from),
      each(from, "files").map(file),
      Option(from.get("summary")).map(file)
    )
  )

  private def range(from: JsonNode): Option[(Long, Long)] =
    Option.when(from.has("min_key"))((long(from, "min_key"), long(from, "max_key")))

  private def checked[A <: ManifestEntry](from: JsonNode, entry: A): A = {
    require(entry.rows == long(from, "rows"), s"${entry.id} has other rows than its files")
    entry
  }

  private def file(from: JsonNode): EntryFile =
    EntryFile(from.required("name").asText, long(from, "rows"), long(from, "bytes"))

  private def each(from: JsonNode, name: String): Seq[JsonNode] = from.required(name) match {
    case all: ArrayNode => all.elements.asScala.toSeq
    case _ => throw new IllegalArgumentException(s"$name is not a list")
  }

  private def long(from: JsonNode, name: String): Long = from.required(name).longValue
}
