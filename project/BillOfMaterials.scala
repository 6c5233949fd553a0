import sbt._
import sbt.internal.util.MessageOnlyException

/** Lists the third-party libraries in the jar: as text for people, and as a bill of materials (CycloneDX 1.6) for programs.
  *
  * Both are made from what sbt resolved and contain no time and no path, so every build of a commit gives the same bytes.
  */
object BillOfMaterials {

  /** A library whose classes are in the jar. `sha256` is the digest of the library's own jar. */
  final case class Part(id: ModuleID, sha256: String, licence: String, home: Option[String]) {
    def purl: String = s"pkg:maven/${id.organization}/${id.name}@${id.revision}"
  }

  // An unknown licence stops the build: somebody must read it before code under it is shipped.
  private val Spdx = Map(
    "The Apache License, Version 2.0" -> "Apache-2.0",
    "The Apache Software License, Version 2.0" -> "Apache-2.0",
    "Apache License, Version 2.0" -> "Apache-2.0",
    "Apache-2.0" -> "Apache-2.0"
  )

  /** The runtime dependencies of a project, without our own modules and the Scala library, which Spark provides. */
  def parts(report: UpdateReport, ours: String): Seq[Part] =
    report
      .configuration(Runtime)
      .toSeq
      .flatMap(_.modules)
      .filterNot(module => module.evicted || Set(ours, "org.scala-lang")(module.module.organization))
      .map(part)
      .sortBy(_.purl)

  private def part(module: ModuleReport): Part = {
    val id = module.module
    val licences = module.licenses.map(_._1)
    val licence = licences.flatMap(Spdx.get).headOption.getOrElse(
      throw new MessageOnlyException(
        s"$id is to be shipped under ${if (licences.isEmpty) "no licence" else licences.mkString(", ")}: " +
          "read it, then add it to project/BillOfMaterials.scala, or leave the library out."
      )
    )
    val (_, jar) = module.artifacts.find(_._1.extension == "jar").getOrElse(
      throw new MessageOnlyException(s"$id has no jar")
    )
    Part(id, Hash.toHex(digest(jar)), licence, module.homepage)
  }

  private def digest(file: File) =
    java.security.MessageDigest.getInstance("SHA-256").digest(IO.readBytes(file))

  /** The list as text, with a line for each library. */
  def list(parts: Seq[Part]): String =
    (("Libraries whose classes are in this jar, under names that begin with chronosketch.shaded." +:
      "Their licences are in META-INF/LICENSE, what they ask to be told in META-INF/NOTICE." +: "" +:
      parts.map(p =>
        s"${p.id.organization}:${p.id.name}:${p.id.revision}, ${p.licence}${p.home.fold("")(", " + _)}"
      )) :+ "").mkString("\n")

  /** The bill of materials of the jar `name`. */
  def json(group: String, name: String, version: String, parts: Seq[Part]): String = {
    val jar = s"pkg:maven/$group/$name@$version"
    val components = parts.map { p =>
      s"""    {
         |      "type": "library",
         |      "bom-ref": ${quoted(p.purl)},
         |      "group": ${quoted(p.id.organization)},
         |      "name": ${quoted(p.id.name)},
         |      "version": ${quoted(p.id.revision)},
         |      "hashes": [{"alg": "SHA-256", "content": ${quoted(p.sha256)}}],
         |      "licenses": [{"license": {"id": ${quoted(p.licence)}}}],
         |      "purl": ${quoted(p.purl)}
         |    }""".stripMargin
    }
    val needs = parts.map(p => quoted(p.purl)).mkString(", ")
    val leaves = parts.map(p => s""",\n    {"ref": ${quoted(p.purl)}, "dependsOn": []}""").mkString
    s"""{
       |  "bomFormat": "CycloneDX",
       |  "specVersion": "1.6",
       |  "version": 1,
       |  "metadata": {
       |    "component": {
       |      "type": "library",
       |      "bom-ref": ${quoted(jar)},
       |      "group": ${quoted(group)},
       |      "name": ${quoted(name)},
       |      "version": ${quoted(version)},
       |      "licenses": [{"license": {"id": "Apache-2.0"}}],
       |      "purl": ${quoted(jar)}
       |    }
       |  },
       |  "components": [
       |${components.mkString(",\n")}
       |  ],
       |  "dependencies": [
       |    {"ref": ${quoted(jar)}, "dependsOn": [$needs]}$leaves
       |  ]
       |}
       |""".stripMargin
  }

  private def quoted(text: String): String =
    "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
}
