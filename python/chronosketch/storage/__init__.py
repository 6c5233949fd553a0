"""Stored tables, read without Spark: folders of Parquet files, Delta tables and Iceberg tables."""
