package chronosketch.spark.rollup

/** Tests arguments that are refused, and sources that no longer fit. */
class RollupRefusalsSuite extends RollupTests {
  private lazy val source = "refused_source"

  override def beforeEach(context: BeforeEach): Unit = { super.beforeEach(context); requests(source, 20); () }

  private def refused(call: String, condition: String, text: String): Unit = {
    val found = message(sql(s"CALL chronosketch.$call").collect())
    assert(found.contains(s"[CHRONOSKETCH_$condition]") && found.contains(text), s"$call\n$found")
    assert(!spark.catalog.tableExists("refused_into"), call)
  }

  private def rollup(
      time: String = "'ts'",
      values: String = "map('latency', 'latency_ms')",
      more: String = "bucket => '1 hour'"
  ): String = s"rollup('$source', 'refused_into', time => $time, values => $values, $more)"

  test("arguments are refused before a table is made") {
    def argument(call: String, text: String): Unit = refused(call, "ROLLUP_ARGUMENT", text)
    argument(rollup(more = "bucket => '5 hours'"), "It must be an interval that divides a day")
    argument(rollup(more = "bucket => '1 month'"), "It must be an interval above 0 without months")
    argument(rollup(more = "epsilon => 0.01"), "It must be a width of buckets")
    argument(
      rollup(more = "bucket => '1 hour', levels => array('1 day')"),
      "It must be left out if bucket is given"
    )
    argument(rollup(more = "levels => array('1 day', '1 hour')"), "each is a multiple of the one before")
    argument(rollup(more = "levels => array('7 days', '30 days')"), "each is a multiple of the one before")
    argument(rollup(more = "bucket => '1 hour', zone => 'Berlin'"), "It must be a time zone")
    argument(rollup(more = "bucket => '1 hour', epsilon => 0.6"), "It must be a number from 0 to 0.5")
    argument(
      rollup(more = "bucket => '1 hour', retention => map('1 day', '9 days')"),
      "levels that there are: 1 hour"
    )
    argument(rollup(more = "bucket => '1 hour', retention => map('1 hour', 'ever')"), "'ever'")
    argument(rollup(more = "bucket => '1 hour', tail => 'upper'"), "It must be 'high', 'low' or 'both'")
    argument(rollup(values = "map()"), "at least one value")
    argument(rollup(time = "'service'"), "It must be of type TIMESTAMP")
    argument(rollup(values = "map('latency', 'sum(latency_ms)')"), "expressions of one row")
    argument(rollup(values = "map('latency', 'latency_ms * rand()')"), "always give the same result")
    argument(rollup(time = "'current_timestamp()'"), "always give the same result")
    argument(rollup(more = "bucket => '1 hour', by => array('upper(service)')"), "an expression with a name")
    argument(rollup(values = "map('rows', 'latency_ms')"), "names that differ")
    argument(rollup(more = "bucket => '1 hour', by => array('service', 'service')"), "names that differ")
    argument(rollup(time = "'CAST(ts AS DATE)'"), "It must be days")
    argument(
      rollup(time = "'CAST(ts AS TIMESTAMP_NTZ)'", more = "bucket => '1 hour', zone => 'Asia/Tokyo'"),
      "has no time zone"
    )
    refused(
      "rollup('nothing_here', 'refused_into', time => 'ts', values => map('v', 'v'), bucket => '1 day')",
      "SOURCE_NOT_FOUND",
      "nothing_here"
    )
    val text = message(sql(s"CALL chronosketch.${rollup(values = "map('v', 'latency')")}").collect())
    assert(text.contains("UNRESOLVED_COLUMN"), text)
  }

  test("a type that cannot be measured is Spark's own error, and makes no table") {
    val text = message(sql(s"CALL chronosketch.${rollup(values = "map('v', 'service')")}").collect())
    assert(text.contains("CHRONOSKETCH_UNSUPPORTED_TYPE"), text)
    assert(!spark.catalog.tableExists("refused_into"))
  }

  test("tables that are not roll-ups, and roll-ups of a newer format") {
    refused(s"refresh('$source')", "NOT_A_ROLLUP", "is a table, but not a roll-up")
    refused("refresh('nothing_here')", "ROLLUP_NOT_FOUND", "There is no table nothing_here")
    val into = dropped("newer_into")
    follow(source, into)
    refused(s"refresh('${into}s')", "ROLLUP_NOT_FOUND", s"Similar names there: $into")
    sql(s"""ALTER TABLE $into SET TBLPROPERTIES ('chronosketch.rollup' = '{"format": 9}')""")
    refused(s"refresh('$into')", "ROLLUP_TOO_NEW", "has format 9")
  }

  test("only a roll-up with a tail has a format that versions without tails refuse") {
    val (plain, high) = (dropped("format_into"), dropped("format_high_into"))
    follow(source, plain)
    follow(source, high, "bucket => '1 hour', tail => 'high'")
    def property(into: String): String =
      sql(s"SHOW TBLPROPERTIES $into ('${RollupDefinition.Property}')").head().getString(1)
    assert(property(plain).contains("\"format\":1,"), property(plain))
    assert(property(high).contains("\"format\":2,"), property(high))
    // roll-ups with a tail were once written as format 1
    val earlier = property(high).replace("\"format\":2,", "\"format\":1,")
    sql(
      s"ALTER TABLE $high SET TBLPROPERTIES ('${RollupDefinition.Property}' = '${earlier.replace("'", "\\'")}')"
    )
    insert(source, 20, 40)
    assert(follow(source, high, "bucket => '1 hour', tail => 'high'").getAs[Boolean]("is_new"))
    checkRollup(high, source)
  }

  test("other arguments than those of the first step") {
    val into = dropped("begun_into")
    follow(source, into)
    def differs(more: String, text: String): Unit = {
      val found = message(follow(source, into, more))
      assert(found.contains("[CHRONOSKETCH_ROLLUP_DIFFERS]") && found.contains(text), found)
    }
    differs("bucket => '1 day'", "it was 1 hour, and is now given as 1 day")
    differs("bucket => '1 hour', zone => 'Asia/Tokyo'", "another zone: it was UTC")
    differs("bucket => '1 hour', retention => map('1 hour', '9 days')", "another retention")
    assertEquals(
      follow(source, into, "bucket => '1 HOUR', zone => 'Etc/UTC'").getAs[Boolean]("is_new"),
      false
    )
  }

  test("columns of the source that no longer fit, and settings that skip files") {
    val into = dropped("fits_into")
    follow(source, into)
    sql(s"ALTER TABLE $source ADD COLUMNS (more STRING)")
    assert(call(s"refresh('$into')").getAs[Boolean]("is_new"))
    sql(s"INSERT INTO $source (ts, service, latency_ms) VALUES (NULL, 's1', 1)")
    withConf("spark.sql.files.ignoreMissingFiles" -> "true") {
      val skipping = message(call(s"refresh('$into')"))
      assert(skipping.contains("[CHRONOSKETCH_CHANGES_COULD_BE_SKIPPED]"), skipping)
    }
    sql(
      s"CREATE OR REPLACE TABLE $source (ts TIMESTAMP, service STRING, latency_ms INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    val replaced = message(call(s"refresh('$into')"))
    assert(replaced.contains("[CHRONOSKETCH_ROLLUP_SOURCE_REPLACED]"), replaced)
    val other = message(call(s"rebuild('$into')"))
    assert(
      other.contains("[CHRONOSKETCH_ROLLUP_SOURCE_CHANGED]") && other.contains("DOUBLE is INT now"),
      other
    )
  }
}
