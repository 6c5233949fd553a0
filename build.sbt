// Projects: `core` has the algorithms and does not depend on Spark, `spark` integrates them into Spark SQL, `bench` has benchmarks,
// `release` is the published jar, and `testkit` the published tests of the core.

val sparkVersion =
  "4.2.0" // the version that we compile against; the smoke suite runs the jar on the oldest and the newest 4.x

// Delta, which the tests of warehouses use besides files; the same version as in requirements-dev.txt. We do not compile against it.
val delta = "io.delta" % "delta-spark_4.2_2.13" % "4.4.0" % Test

// Spark's queries of TPC-DS and TPC-H, and the tables of TPC-DS, are in the jar of its tests. The rest of that jar must not be on the
// class path of our tests: their sessions would find its services.
val SparkTests = config("spark-tests").hide
val sparkQueries = taskKey[File]("Unpacks the TPC queries and tables of Spark's tests.")

// The Maven name of the one jar that is shipped.
val published = "chronosketch-spark_2.13"

// The libraries of all JVM tests.
val testLibraries =
  Seq("org.scalameta" %% "munit" % "1.2.1", "org.scalameta" %% "munit-scalacheck" % "1.2.0")

// The bins of DDSketch; in our jar its packages are renamed.
val sketches = "com.datadoghq" % "sketches-java" % "0.8.3"

// The libraries that tests of the core compare answers and bytes with; they are not in our jar.
val comparedLibraries = Seq(
  "org.apache.commons" % "commons-math3" % "3.6.1",
  "org.apache.datasketches" % "datasketches-java" % "6.2.0",
  // sketches-java needs it to read its own messages; the version that Spark provides
  "com.google.protobuf" % "protobuf-java" % "4.33.5"
)

ThisBuild / scalaVersion := "2.13.18"
ThisBuild / organization := "io.github.chronosketch"
ThisBuild / version := IO.read((ThisBuild / baseDirectory).value / "VERSION").trim
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / scalafmtOnCompile := false

// A JVM of Spark's tests uses little more than one core, so several run at once: one plans while another runs tasks.
Global / concurrentRestrictions := Seq(Tags.limitAll(3), Tags.limit(Tags.ForkedTestGroup, 3))
Global / onChangedBuildSource := IgnoreSourceChanges

// The options that Spark's own launcher passes on JDK 17 and later.
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
  libraryDependencies ++= testLibraries.map(_ % Test),
  Test / fork := true,
  // Groups of suites run in parallel, each in its own JVM; the suites of a group run one after the other.
  Test / parallelExecution := true,
  Test / testForkedParallel := false,
  // Tests use paths relative to the top of the repository, and write only below target/.
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / envVars += "SPARK_LOCAL_IP" -> "127.0.0.1", // avoids looking up the host name
  Test / javaOptions ++= Seq(
    "-Xmx3g",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Duser.timezone=UTC",
    "-Dspark.ui.enabled=false"
  ) ++ sparkOpens ++ folders(target.value / "run")
)

/** JVM options that put the files of Spark into folders below `top`. */
def folders(top: File): Seq[String] = {
  IO.createDirectory(top / "tmp")
  Seq(
    s"-Djava.io.tmpdir=${top / "tmp"}",
    s"-Dspark.sql.warehouse.dir=${(top / "warehouse").toURI}",
    s"-Dderby.system.home=${top / "derby"}"
  )
}

/** Runs the suites of these packages of chronosketch.spark in a second JVM, in parallel with the JVM of all others. Each JVM starts with empty folders, so that
  * tables of the last run are not found.
  */
def testsInSecondJvm(packages: String*) = Test / testGrouping := {
  val options = (Test / forkOptions).value
  val top = target.value / "tests"
  IO.delete(top)
  val (second, others) = (Test / definedTests).value.partition(t =>
    packages.exists(p => t.name.startsWith(s"chronosketch.spark.$p."))
  )
  Seq("all" -> others, "second" -> second).collect {
    case (name, suites) if suites.nonEmpty =>
      val started = options.withRunJVMOptions(options.runJVMOptions ++ folders(top / name))
      Tests.Group(name, suites, Tests.SubProcess(started))
  }
}

/** Tests are in tests/jvm, in one folder per project; resources on the class path are in its subfolder `resources`. */
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
    testsInSecondJvm(),
    libraryDependencies ++= sketches +: comparedLibraries.map(_ % Test),
    Test / javaOptions ++= Seq(
      "-XX:+UseParallelGC",
      // protobuf warns about each message class that an older version generated, as those of sketches-java
      "-Dcom.google.protobuf.use_unsafe_pre22_gencode=true"
    ),
    // Generates Version.scala from the file VERSION, for chronosketch_version().
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
    // Both JVMs take about equally long.
    testsInSecondJvm(
      "aggregate",
      "history",
      "interchange",
      "memory",
      "sliding",
      "hopping",
      "window",
      "qlove",
      "ddsketch",
      "sketch"
    ),
    // Test queries run once: C2 took more time than its code saved, and a second thread for garbage is one too many for two cores.
    Test / javaOptions ++= Seq(
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-XX:ReservedCodeCacheSize=512m",
      "-XX:-UseCodeCacheFlushing"
    ),
    // Generates tests from the examples in the Scaladoc of the Scala functions.
    Test / sourceGenerators += Def.task {
      val sources = (Compile / scalaSource).value / "chronosketch" / "spark"
      ScaladocExamples.suite(
        (sources / "functions.scala") +: (sources / "dsl" * "*.scala").get(),
        (Test / sourceManaged).value / "ScaladocExamplesSuite.scala"
      )
    }.taskValue,
    libraryDependencies ++= Seq("org.apache.spark" %% "spark-sql" % sparkVersion % Provided, sketches, delta),
    ivyConfigurations += SparkTests,
    libraryDependencies +=
      ("org.apache.spark" %% "spark-sql" % sparkVersion % SparkTests).classifier("tests").intransitive(),
    sparkQueries := {
      val folder = target.value / "spark-queries"
      val jar =
        update.value.select(configurationFilter(SparkTests.name)).find(_.getName.endsWith("-tests.jar")).get
      val wanted = "tpcds/q.*|tpch/q.*|org/apache/spark/sql/TPCDSSchema.*"
      if (!folder.exists) IO.unzip(jar, folder, new SimpleFilter(_.matches(wanted)))
      folder
    },
    Test / unmanagedJars += Attributed.blank(sparkQueries.value),
    assembly / assemblyOutputPath :=
      (ThisBuild / baseDirectory).value / "target" / "jar" / s"$published-${version.value}.jar",
    assembly / assemblyOption ~= { _.withIncludeScala(false) },
    Compile / resourceGenerators += Def.task {
      val licence = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
      IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", licence)
      // the cost model is the same file as in the Python package
      val model = (Compile / resourceManaged).value / "chronosketch" / "cost-model.json"
      IO.copyFile(
        (ThisBuild / baseDirectory).value / "python" / "chronosketch" / "advisor" / "cost-model.json",
        model
      )
      Seq(licence, model)
    }.taskValue,
    // Lists the third-party libraries in the jar, as text and as a bill of materials.
    Compile / resourceGenerators += Def.task {
      val parts = BillOfMaterials.parts(update.value, organization.value)
      val top = (Compile / resourceManaged).value / "META-INF"
      val (list, bill) = (top / "THIRD-PARTY.txt", top / "sbom" / "chronosketch-spark.cdx.json")
      IO.write(list, BillOfMaterials.list(parts))
      IO.write(bill, BillOfMaterials.json(organization.value, published, version.value, parts))
      Seq(list, bill)
    }.taskValue,
    // Third-party packages are renamed in our jar, so that they cannot clash with others on the class path.
    assembly / assemblyShadeRules := Seq(
      ShadeRule.zap("com.datadoghq.**.proto.**", "com.datadoghq.**ProtoBinding*").inAll,
      ShadeRule.rename("com.datadoghq.sketch.**" -> "chronosketch.shaded.datadoghq.sketch.@1").inAll
    ),
    assembly / assemblyMergeStrategy := {
      // Two different files of the same name mean that something unexpected is in the jar.
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

/** The settings of what `make publish-m2` publishes. */
val shipped = Seq(
  crossPaths := false,
  licenses := Seq(License.Apache2),
  // a project that depends on it gets the jar, not classes
  exportJars := true,
  Compile / packageDoc / publishArtifact := false,
  publishTo := Some(MavenCache("m2", (ThisBuild / baseDirectory).value / "target" / "m2"))
)

/** The assembled jar. Its POM has no dependencies, because Spark is provided. */
lazy val release = (project in file("target/release"))
  .settings(
    name := "chronosketch-spark",
    moduleName := published,
    shipped,
    autoScalaLibrary := false,
    description := "Quantiles with a certificate for Spark SQL",
    Compile / packageBin := (spark / assembly).value,
    Compile / packageSrc / mappings :=
      (core / Compile / packageSrc / mappings).value ++ (spark / Compile / packageSrc / mappings).value
  )

/** The tests of the core with the golden files that they read: docs/format.md says how others check themselves by them.
  * `./sbt "testkit/run chronosketch.codec.GoldenSuite"` runs a suite as they do, with the published jars alone.
  */
lazy val testkit = (project in file("target/testkit"))
  .dependsOn(release)
  .settings(
    name := "chronosketch-testkit",
    moduleName := "chronosketch-testkit_2.13",
    shipped,
    description := "The tests of chronosketch's sketches, and stored sketches with their answers",
    libraryDependencies ++= testLibraries ++ comparedLibraries :+ sketches,
    Compile / packageBin / mappings := (core / Test / packageBin / mappings).value ++ {
      val tests = (ThisBuild / baseDirectory).value / "tests"
      (tests / "golden" ** ("*.bin" || "*.txt" || "*.sk" || "*.md")).get().pair(Path.relativeTo(tests))
    },
    Compile / packageSrc / mappings := (core / Test / packageSrc / mappings).value,
    Compile / run / mainClass := Some("org.junit.runner.JUnitCore"),
    run / fork := true
  )

lazy val root = (project in file("."))
  .aggregate(core, spark, bench)
  .settings(
    name := "chronosketch",
    publish / skip := true,
    Compile / unmanagedSourceDirectories := Nil,
    Test / unmanagedSourceDirectories := Nil
  )
