"""Tables that a history can follow: Delta's and Iceberg's, told alike."""
