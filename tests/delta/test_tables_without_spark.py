"""Delta tables with features that readers of plain files miss, written by Spark and read without it."""

import pytest
from chronosketch.errors import ChronosketchError
from chronosketch.sketch_tables import stored_sketches

ROWS = (
    "SELECT /*+ REPARTITION(1) */ concat('h', id % 4) AS host, id % 10 AS v, quantile_sketch_agg(id) AS s "
    "FROM range(1000) GROUP BY host, v"
)


@pytest.fixture
def write(spark, tmp_path):
    """Return a function that writes a Delta table with properties, and returns its folder."""

    def _write(name, partitions="", **properties):
        folder = tmp_path / name
        given = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
        with_properties = f"TBLPROPERTIES ({given})" if given else ""
        columns = "(host STRING, v BIGINT, s BINARY)"
        spark.sql(f"CREATE TABLE delta.`{folder}` {columns} USING delta {partitions} {with_properties}")
        spark.sql(f"INSERT INTO delta.`{folder}` {ROWS}")
        return folder

    return _write


def counts(folder, *by):
    return {group: sketch.count for group, sketch in stored_sketches(folder, "s", by).items()}


def test_rows_of_a_deletion_vector_are_not_counted(spark, write):
    table = write("deleted", enableDeletionVectors="true")
    assert counts(table) == {(): 1000}
    spark.sql(f"DELETE FROM delta.`{table}` WHERE host = 'h0'")
    logs = "".join(log.read_text("utf-8") for log in (table / "_delta_log").glob("*.json"))
    assert '"deletionVector":{' in logs
    assert counts(table, "host") == {(f"h{i}",): 250 for i in (1, 2, 3)}


def test_mapped_columns_have_the_names_of_the_table(spark, write):
    old = {"minReaderVersion": 2, "minWriterVersion": 5}
    renamed = write("renamed", "PARTITIONED BY (v)", **{"columnMapping.mode": "name"}, **old)
    spark.sql(f"ALTER TABLE delta.`{renamed}` RENAME COLUMN host TO machine")
    assert counts(renamed, "machine") == {(f"h{i}",): 250 for i in range(4)}
    assert counts(renamed, "v") == {(i,): 100 for i in range(10)}
    assert counts(write("by_id", **{"columnMapping.mode": "id"})) == {(): 1000}


def test_a_clone_reads_the_files_of_its_source(spark, write, tmp_path):
    table, clone = write("source"), tmp_path / "clone"
    spark.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE delta.`{table}`")
    spark.sql(f"DELETE FROM delta.`{clone}` WHERE v = 0")
    assert (counts(table), counts(clone)) == ({(): 1000}, {(): 900})


def test_a_feature_that_the_reader_does_not_know_is_refused(write):
    table = write("wider", enableTypeWidening="true")
    with pytest.raises(ChronosketchError, match=r"ask it in Spark\. It said: .*TypeWidening"):
        counts(table)


def test_a_stream_writes_a_folder_with_a_log(spark, tmp_path):
    spark.sql(ROWS).write.parquet(str(tmp_path / "rows"))
    rows = spark.readStream.schema("host STRING, v BIGINT, s BINARY").parquet(str(tmp_path / "rows"))
    sink = rows.coalesce(1).writeStream.format("parquet").partitionBy("host")
    options = {"path": str(tmp_path / "sink"), "checkpointLocation": str(tmp_path / "checkpoint")}
    query = sink.options(**options).trigger(availableNow=True).start()
    query.awaitTermination()
    (written, *_) = sorted((tmp_path / "sink" / "host=h0").glob("*.parquet"))
    (written.parent / "of-a-failed-batch.parquet").write_bytes(written.read_bytes())
    assert counts(tmp_path / "sink", "host") == {(f"h{i}",): 250 for i in range(4)}
