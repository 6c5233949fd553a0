#!/bin/sh
# Starts sbt with nothing but a JDK and a Python that has pyspark: an sbt on PATH, else sbt-launch,
# fetched once through the Ivy that pyspark ships and kept in a cache.
set -u

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
sbt_version=$(sed -n 's/^sbt\.version=//p' "$here/project/build.properties")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chronosketch
launcher=$cache/sbt-launch-$sbt_version.jar

die() {
  echo "$*" >&2
  exit 1
}

java=$("$here/make/java") || exit 1

cd "$here" || exit 1

installed=$(command -v sbt 2>/dev/null || true)
if [ -n "$installed" ] && ! [ "$installed" -ef "$here/sbt" ]; then
  exec "$installed" "$@"
fi

pyspark_home() {
  for python in "${CHRONOSKETCH_PYTHON:-}" "$here/.venv/bin/python" python3; do
    [ -n "$python" ] || continue
    "$python" -c 'import importlib.util as u; s = u.find_spec("pyspark"); print(s.submodule_search_locations[0] if s else "")' \
      2>/dev/null | grep . && return
  done
}

if ! [ -f "$launcher" ]; then
  pyspark=$(pyspark_home)
  [ -n "$pyspark" ] ||
    die "./sbt needs pyspark to fetch sbt with: run 'make jar', or set CHRONOSKETCH_PYTHON to a Python that has pyspark."
  ivy=$(ls "$pyspark"/jars/ivy-*.jar 2>/dev/null | head -n 1)
  [ -n "$ivy" ] || die "The pyspark in $pyspark carries no Ivy to fetch sbt with: pip install pyspark==4.2.0."
  mkdir -p "$cache" || die "Cannot write to $cache: set XDG_CACHE_HOME to a folder that can be written."
  # Into a folder of this process, then moved: two starts at once leave one whole launcher.
  fetched=$(mktemp -d "$cache/fetch-XXXXXX") || die "Cannot write to $cache: set XDG_CACHE_HOME to a folder that can be written."
  trap 'rm -rf "$fetched"' EXIT
  "$java" -jar "$ivy" -cache "$fetched/ivy" -dependency org.scala-sbt sbt-launch "$sbt_version" -types jar \
    -retrieve "$fetched/[artifact]-[revision].[ext]" >"$cache/fetch.log" 2>&1
  [ -f "$fetched/sbt-launch-$sbt_version.jar" ] ||
    die "Could not fetch sbt-launch $sbt_version: check the network, or install sbt (what Ivy said is in $cache/fetch.log)."
  mv "$fetched/sbt-launch-$sbt_version.jar" "$launcher"
  rm -rf "$fetched"
  trap - EXIT
fi

# On a busy machine sbt warns about its own garbage collector, and the log of a green run must have no warning.
# SBT_OPTS is split into words on purpose, as sbt's own script does.
# shellcheck disable=SC2086
exec "$java" -Xmx2g -Xss8m -Dfile.encoding=UTF-8 -Dsbt.gc.monitor=false ${SBT_OPTS:-} -jar "$launcher" "$@"
