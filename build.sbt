// Four projects: `core` computes and never sees Spark, `spark` brings it into Spark SQL, `bench` measures it.

val sparkVersion =
  "4.2.0" // the line we compile against; the smoke suite runs the jar on the oldest and the newest 4.x

// What tests of warehouses stand on, beside files; the version that requirements-dev.txt has. We compile against none of it.
val delta = "io.delta" % "delta-spark_4.2_2.13" % "4.4.0" % Test

// The one jar that is shipped, as Maven names it.
val published = "chronosketch-spark_2.13"

// Bins of DDSketch; in our jar under a name of ours.
val sketches = "com.datadoghq" % "sketches-java" % "0.8.3"

ThisBuild / scalaVersion := "2.13.18"
ThisBuild / organization := "io.github.chronosketch"
ThisBuild / version := IO.read((ThisBuild / baseDirectory).value / "VERSION").trim
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / scalafmtOnCompile := false

// A JVM of Spark's tests keeps little more than one core busy: the next plans while the first runs tasks.
Global / concurrentRestrictions := Seq(Tags.limitAll(3), Tags.limit(Tags.ForkedTestGroup, 3))
Global / onChangedBuildSource := IgnoreSourceChanges

// What Spark's own launcher passes on JDK 17 and later.
val sparkOpens = Seq(
  "java.base/java.lang",
  "java.base/java.lang.invoke",
  "java.base/java.lang.reflect",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/jdk.internal.ref",
  "java.base/sun.nio.ch",
  "java.base/sun.nio.cs",
  "java.base/sun.security.action",
  "java.base/sun.util.calendar"
).flatMap(p => Seq("--add-opens", s"$p=ALL-UNNAMED"))

val house = Seq(
  scalacOptions ++= Seq(
    "-release",
    "17",
    "-encoding",
    "utf8",
    "-deprecation",
    "-feature",
    "-unchecked",
    "-Xlint",
    "-Wdead-code",
    "-Wunused:imports,privates,locals,implicits,patvars,nowarn",
    "-Werror"
  ),
  javacOptions ++= Seq("--release", "17"),
  libraryDependencies ++= Seq(
    "org.scalameta" %% "munit" % "1.2.1" % Test,
    "org.scalameta" %% "munit-scalacheck" % "1.2.0" % Test
  ),
  Test / fork := true,
  // Groups of suites side by side, each in a JVM of its own; the suites of a group one after the other.
  Test / parallelExecution := true,
  Test / testForkedParallel := false,
  // Tests name files from the top of the repository, and leave nothing outside target/.
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / envVars += "SPARK_LOCAL_IP" -> "127.0.0.1", // no look-up of this machine's name
  Test / javaOptions ++= Seq(
    "-Xmx3g",
    "-XX:+UseParallelGC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Duser.timezone=UTC",
    "-Dspark.ui.enabled=false"
  ) ++ sparkOpens ++ folders(target.value / "run")
)

/** Where a JVM keeps what Spark leaves behind. */
def folders(top: File): Seq[String] = {
  IO.createDirectory(top / "tmp")
  Seq(
    s"-Djava.io.tmpdir=${top / "tmp"}",
    s"-Dspark.sql.warehouse.dir=${(top / "warehouse").toURI}",
    s"-Dderby.system.home=${top / "derby"}"
  )
}

/** Suites of these packages run in a JVM of their own, beside the one that has all others. Each starts from empty folders: a table of
  * the last run is not found again.
  */
def testsBeside(packages: String*) = Test / testGrouping := {
  val options = (Test / forkOptions).value
  val top = target.value / "tests"
  IO.delete(top)
  val (beside, others) = (Test / definedTests).value.partition(t => packages.exists(t.name.startsWith))
  Seq("all" -> others, "beside" -> beside).collect {
    case (name, suites) if suites.nonEmpty =>
      val started = options.withRunJVMOptions(options.runJVMOptions ++ folders(top / name))
      Tests.Group(name, suites, Tests.SubProcess(started))
  }
}

/** Tests live beside jvm/, one folder a project; what they read from the class path is in its `resources`. */
def testsIn(folder: String) = Seq(
  Test / scalaSource := (ThisBuild / baseDirectory).value / "tests" / "jvm" / folder,
  Test / javaSource := (Test / scalaSource).value,
  Test / resourceDirectory := (Test / scalaSource).value / "resources"
)

lazy val core = (project in file("jvm/core"))
  .settings(
    name := "chronosketch-core",
    house,
    testsIn("core"),
    testsBeside(),
    libraryDependencies ++= Seq(
      sketches,
      "org.apache.commons" % "commons-math3" % "3.6.1" % Test,
      // whose bytes we read; nothing of it is in our jar
      "org.apache.datasketches" % "datasketches-java" % "6.2.0" % Test,
      // what sketches-java reads its own messages with: the version that Spark brings
      "com.google.protobuf" % "protobuf-java" % "4.33.5" % Test
    ),
    // The one version, for chronosketch_version().
    Compile / sourceGenerators += Def.task {
      val file = (Compile / sourceManaged).value / "chronosketch" / "Version.scala"
      val text =
        s"""package chronosketch
           |
           |/** The version of the jar at hand, from the file VERSION. */
           |object Version { val value: String = "${version.value}" }
           |""".stripMargin
      if (!file.exists || IO.read(file) != text) IO.write(file, text)
      Seq(file)
    }.taskValue
  )

lazy val spark = (project in file("jvm/spark"))
  .dependsOn(core % "compile->compile;test->test")
  .settings(
    name := "chronosketch-spark",
    house,
    testsIn("spark"),
    // Halves that take equally long.
    testsBeside(Seq("sliding", "hopping", "window", "qlove", "ddsketch", "sketch").map(p =>
      s"chronosketch.spark.$p."
    ): _*),
    // Queries that run once: the second compiler took near half of the time where it inlined all that it may.
    Test / javaOptions ++= Seq(
      "-XX:MaxInlineLevel=6",
      "-XX:FreqInlineSize=100",
      "-XX:InlineSmallCode=1000",
      "-XX:ReservedCodeCacheSize=512m",
      "-XX:-UseCodeCacheFlushing"
    ),
    // The examples of the Scala functions run as they stand in the Scaladoc.
    Test / sourceGenerators += Def.task {
      val sources = (Compile / scalaSource).value / "chronosketch" / "spark"
      ScaladocExamples.suite(
        (sources / "functions.scala") +: (sources / "dsl" * "*.scala").get(),
        (Test / sourceManaged).value / "ScaladocExamplesSuite.scala"
      )
    }.taskValue,
    libraryDependencies ++= Seq("org.apache.spark" %% "spark-sql" % sparkVersion % Provided, sketches, delta),
    assembly / assemblyOutputPath :=
      (ThisBuild / baseDirectory).value / "target" / "jar" / s"$published-${version.value}.jar",
    assembly / assemblyOption ~= { _.withIncludeScala(false) },
    Compile / resourceGenerators += Def.task {
      val licence = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
      IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", licence)
      // one model, which Python ships too
      val model = (Compile / resourceManaged).value / "chronosketch" / "cost-model.json"
      IO.copyFile(
        (ThisBuild / baseDirectory).value / "python" / "chronosketch" / "advisor" / "cost-model.json",
        model
      )
      Seq(licence, model)
    }.taskValue,
    // What others wrote of it, as a list and as a bill of materials.
    Compile / resourceGenerators += Def.task {
      val parts = BillOfMaterials.parts(update.value, organization.value)
      val top = (Compile / resourceManaged).value / "META-INF"
      val (list, bill) = (top / "THIRD-PARTY.txt", top / "sbom" / "chronosketch-spark.cdx.json")
      IO.write(list, BillOfMaterials.list(parts))
      IO.write(bill, BillOfMaterials.json(organization.value, published, version.value, parts))
      Seq(list, bill)
    }.taskValue,
    // What we take from elsewhere has names of its own in our jar, whatever else the class path holds.
    assembly / assemblyShadeRules := Seq(
      ShadeRule.zap("com.datadoghq.**.proto.**", "com.datadoghq.**ProtoBinding*").inAll,
      ShadeRule.rename("com.datadoghq.sketch.**" -> "chronosketch.shaded.datadoghq.sketch.@1").inAll
    ),
    assembly / assemblyMergeStrategy := {
      // Two files under one name would mean that something foreign slipped in.
      case PathList("META-INF", "MANIFEST.MF") => MergeStrategy.discard
      case PathList("DDSketch.proto") => MergeStrategy.discard
      case _ => MergeStrategy.deduplicate
    },
    assembly / test := {}
  )

lazy val bench = (project in file("jvm/bench"))
  .enablePlugins(JmhPlugin)
  .dependsOn(core)
  .settings(
    name := "chronosketch-bench",
    house,
    libraryDependencies ++= Seq("org.apache.datasketches" % "datasketches-java" % "6.2.0", sketches),
    Jmh / javaOptions := Nil // not the tests: JMH forks with what the command says
  )

/** What `make publish-m2` publishes: the assembled jar, whose POM asks for nothing, since Spark is there already. */
lazy val release = (project in file("target/release"))
  .settings(
    name := "chronosketch-spark",
    moduleName := published,
    crossPaths := false,
    autoScalaLibrary := false,
    description := "Quantiles with a certificate for Spark SQL",
    licenses := Seq(License.Apache2),
    Compile / packageBin := (spark / assembly).value,
    Compile / packageSrc / mappings :=
      (core / Compile / packageSrc / mappings).value ++ (spark / Compile / packageSrc / mappings).value,
    Compile / packageDoc / publishArtifact := false,
    publishTo := Some(MavenCache("m2", (ThisBuild / baseDirectory).value / "target" / "m2"))
  )

lazy val root = (project in file("."))
  .aggregate(core, spark, bench)
  .settings(
    name := "chronosketch",
    publish / skip := true,
    Compile / unmanagedSourceDirectories := Nil,
    Test / unmanagedSourceDirectories := Nil
  )
