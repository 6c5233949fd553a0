#!/bin/sh
# Starts sbt with nothing but a JDK and a Python that has pyspark: an sbt on PATH, else sbt-launch,
# fetched once through the Ivy that pyspark ships and kept in a cache.
set -u

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
need_java=17
sbt_version=$(sed -n 's/^sbt\.version=//p' "$here/project/build.properties")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chronosketch
launcher=$cache/sbt-launch-$sbt_version.jar

die() {
  echo "sbt: $*" >&2
  exit 1
}

java=java
if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; fi
command -v "$java" >/dev/null 2>&1 ||
  die "no Java found: install a JDK $need_java or newer, then put its java on PATH or set JAVA_HOME."

# 17.0.15 → 17, 1.8.0_292 → 8, 21-ea → 21
java_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
java_major=$(printf '%s\n' "${java_version#1.}" | sed 's/[^0-9].*//')
[ -n "$java_major" ] ||
  die "'$java -version' did not start a JVM: install a JDK $need_java or newer, or set JAVA_HOME to one."
[ "$java_major" -ge "$need_java" ] ||
  die "Java $java_version is too old: install a JDK $need_java or newer, then set JAVA_HOME to it."

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
    die "needs pyspark to fetch sbt with: run 'make jar', or set CHRONOSKETCH_PYTHON to a Python that has pyspark."
  ivy=$(ls "$pyspark"/jars/ivy-*.jar 2>/dev/null | head -n 1)
  [ -n "$ivy" ] || die "the pyspark in $pyspark carries no Ivy to fetch sbt with: pip install pyspark==4.2.0."
  mkdir -p "$cache" || die "cannot write to $cache: set XDG_CACHE_HOME to a folder that can be written."
  # Into a folder of this process, then moved: two starts at once leave one whole launcher.
  fetched=$(mktemp -d "$cache/fetch-XXXXXX") || die "cannot write to $cache: set XDG_CACHE_HOME to a folder that can be written."
  trap 'rm -rf "$fetched"' EXIT
  "$java" -jar "$ivy" -cache "$fetched/ivy" -dependency org.scala-sbt sbt-launch "$sbt_version" -types jar \
    -retrieve "$fetched/[artifact]-[revision].[ext]" >"$cache/fetch.log" 2>&1
  [ -f "$fetched/sbt-launch-$sbt_version.jar" ] ||
    die "could not fetch sbt-launch $sbt_version: check the network, or install sbt (what Ivy said is in $cache/fetch.log)."
  mv "$fetched/sbt-launch-$sbt_version.jar" "$launcher"
  rm -rf "$fetched"
  trap - EXIT
fi

# SBT_OPTS is split into words on purpose, as sbt's own script does.
# shellcheck disable=SC2086
exec "$java" -Xmx2g -Xss8m -Dfile.encoding=UTF-8 ${SBT_OPTS:-} -jar "$launcher" "$@"
