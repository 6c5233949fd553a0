package chronosketch.spark.warehouse.manifest

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.DataType

import chronosketch.Refusal

/** How does a state lie in a file, and is this file one?
  *
  * Guarantee  what [[read]] returns was written by [[write]] and not changed since (CRC32C)
  *
  * A line with the format, the checksum and the length of what follows; then JSON.
  */
private[manifest] object StateText {
  private val Format = 1
  private val First = s"""chronosketch warehouse (\\d+) ([0-9a-f]{8}) (\\d+)""".r
  private val json = new ObjectMapper

  def write(state: State): Array[Byte] = {
    val body = json.writerWithDefaultPrettyPrinter().writeValueAsBytes(node(state))
    val first = f"chronosketch warehouse $Format ${checksum(body)}%08x ${body.length}%d\n"
    first.getBytes(UTF_8) ++ body
  }

  /** `name` is the file's, for messages. */
  def read(name: String, bytes: Array[Byte]): State = {
    def damaged(why: String): Nothing =
      throw Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", "reason" -> s"$name $why")
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
        if (body.length.toString != length) damaged(s"has ${body.length} bytes where $length should be")
        if (f"${checksum(body)}%08x" != sum) damaged("has been changed: its checksum does not fit")
        try state(json.readTree(body))
        catch { case NonFatal(e) => damaged(s"says what can't be: ${e.getMessage}") }
      case _ => damaged("is no manifest")
    }
  }

  private def checksum(body: Array[Byte]): Int = {
    val crc = new CRC32C
    crc.update(body, 0, body.length)
    crc.getValue.toInt
  }

  private def node(s: State): ObjectNode = {
    val of = json.createObjectNode()
    of.put("version", s.version).put("commit", s.commit).put("at", s.at)
    val d = of.putObject("definition")
    d.put("id", s.definition.id).put("value", s.definition.value)
    val by = d.putArray("by")
    s.definition.by.foreach(by.add)
    s.definition.types.foreach { types =>
      val all = d.putArray("types")
      types.foreach(t => all.add(json.readTree(t.json)))
    }
    d.put("epsilon1", s.definition.epsilon1).put("epsilon2", s.definition.epsilon2)
    d.put("kappa", s.definition.kappa)
    val runs = of.putArray("runs")
    s.runs.foreach(run => put(runs.addObject(), run))
    val written = of.putArray("written")
    s.written.foreach(w =>
      written.addObject().put("writer", w.writer).put("batch", w.batch).put("step", w.step)
    )
    of
  }

  private def put(of: ObjectNode, run: Run): Unit = {
    of.put("run", run.id).put("level", run.level)
    of.put("first_step", run.firstStep).put("last_step", run.lastStep).put("steps", run.steps)
    of.put("rows", run.rows).put("nulls", run.nulls)
    run.range.foreach { case (least, greatest) => of.put("min_key", least).put("max_key", greatest) }
    run.summary.foreach(put(of.putObject("summary"), _))
    val files = of.putArray("files")
    run.files.foreach(file => put(files.addObject(), file))
  }

  private def put(of: ObjectNode, file: RunFile): Unit = {
    of.put("name", file.name).put("rows", file.rows).put("bytes", file.bytes)
    ()
  }

  private def state(of: JsonNode): State = {
    val d = of.required("definition")
    State(
      Definition(
        d.required("id").asText,
        d.required("value").asText,
        each(d, "by").map(_.asText),
        if (d.has("types")) Some(each(d, "types").map(t => DataType.fromJson(t.toString))) else None,
        d.required("epsilon1").doubleValue,
        d.required("epsilon2").doubleValue,
        d.required("kappa").intValue
      ),
      long(of, "version"),
      of.required("commit").asText,
      long(of, "at"),
      each(of, "runs").map(run).toIndexedSeq,
      each(of, "written").map(w => Written(w.required("writer").asText, long(w, "batch"), long(w, "step")))
    )
  }

  private def run(of: JsonNode): Run = {
    val read = Run(
      of.required("run").asText,
      of.required("level").intValue,
      long(of, "first_step"),
      long(of, "last_step"),
      long(of, "steps"),
      long(of, "nulls"),
      if (of.has("min_key")) Some((long(of, "min_key"), long(of, "max_key"))) else None,
      each(of, "files").map(file),
      Option(of.get("summary")).map(file)
    )
    require(read.rows == long(of, "rows"), s"run ${read.id} has not the rows of its files")
    read
  }

  private def file(of: JsonNode): RunFile =
    RunFile(of.required("name").asText, long(of, "rows"), long(of, "bytes"))

  private def each(of: JsonNode, name: String): Seq[JsonNode] = of.required(name) match {
    case all: ArrayNode => all.elements.asScala.toSeq
    case _ => throw new IllegalArgumentException(s"$name is no list")
  }

  private def long(of: JsonNode, name: String): Long = of.required(name).longValue
}
