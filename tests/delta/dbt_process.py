"""Run dbt and SQL for test_dbt.py, one command a line, in a process with a Spark session of its own.

dbt needs older versions of some packages than the other tests, so its packages come first in this process.
"""

from __future__ import annotations

import json
import os
import sys

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession


def run(arguments):
    """Run dbt. Return whether it succeeded, and what it tells its user."""
    messages = []

    def keep(event):
        if event.info.level != "debug":
            messages.append(event.info.msg)

    done = dbtRunner(callbacks=[keep]).invoke(arguments)
    return {"success": done.success, "text": "\n".join([*messages, str(done.exception or "")])}


def ask(query):
    """Run a query in the session that dbt has started. Return its rows."""
    return [list(row) for row in SparkSession.builder.getOrCreate().sql(query).collect()]


def main():
    """Answer each line of the input with a line of the output. All else goes to the errors."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        ((kind, command),) = json.loads(line).items()
        answer = run(command) if kind == "dbt" else ask(command)
        print(json.dumps(answer, default=str), file=answers, flush=True)


if __name__ == "__main__":
    main()
