"""The contents of the two wheels: Python alone, and the jar."""

import hashlib
import importlib
import json
import zipfile
from email.parser import Parser
from io import BytesIO

import chronosketch as cs
import pytest
from packaging.requirements import Requirement


def opened(top, project):
    (wheel,) = (top / "target" / "dist").glob(f"{project}-*.whl")
    return zipfile.ZipFile(wheel)


@pytest.fixture(scope="module")
def wheel(top):
    with opened(top, "chronosketch") as archive:
        yield archive


@pytest.fixture(scope="module")
def spark_wheel(top):
    with opened(top, "chronosketch_spark") as archive:
        yield archive


def metadata_of(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


@pytest.fixture(scope="module")
def metadata(wheel):
    return metadata_of(wheel)


@pytest.fixture(scope="module")
def jar(spark_wheel):
    jars = [name for name in spark_wheel.namelist() if name.endswith(".jar")]
    assert jars == [f"chronosketch_spark/jars/chronosketch-spark_2.13-{cs.__version__}.jar"]
    with zipfile.ZipFile(BytesIO(spark_wheel.read(jars[0]))) as archive:
        yield archive


def test_one_version_everywhere(top, metadata, spark_wheel, jar):
    assert metadata["Version"] == cs.__version__ == (top / "VERSION").read_text().strip()
    assert metadata_of(spark_wheel)["Version"] == cs.__version__
    pinned = [Requirement(text) for text in metadata.get_all("Requires-Dist") if "chronosketch-spark" in text]
    assert pinned
    assert {str(one.specifier) for one in pinned} == {f"=={cs.__version__}"}
    assert f"Implementation-Version: {cs.__version__}" in jar.read("META-INF/MANIFEST.MF").decode()


def test_only_numpy_is_required_and_extras_are_offered(metadata):
    required = [needed for needed in metadata.get_all("Requires-Dist") if "extra ==" not in needed]
    assert [Requirement(needed).name for needed in required] == ["numpy"]
    extras = {"advisor", "arrow", "spark", "connect", "cli", "delta", "demo", "iceberg"}
    assert set(metadata.get_all("Provides-Extra")) == extras


def extras_with(metadata, project):
    needed = [Requirement(text) for text in metadata.get_all("Requires-Dist")]
    extras = metadata.get_all("Provides-Extra")
    return {
        extra
        for extra in extras
        for one in needed
        if one.name == project and one.marker and one.marker.evaluate({"extra": extra})
    }


def test_the_jar_comes_with_what_starts_spark(metadata):
    assert extras_with(metadata, "chronosketch-spark") == {"spark", "demo"}
    assert extras_with(metadata, "pyspark") == {"spark", "connect", "demo"}


def test_the_wheel_of_python_has_no_jar_and_that_of_the_jar_needs_nothing(top, wheel, spark_wheel):
    assert [name for name in wheel.namelist() if name.endswith((".jar", ".class"))] == []
    assert metadata_of(spark_wheel).get_all("Requires-Dist") is None
    python = [name for name in spark_wheel.namelist() if name.endswith(".py")]
    assert python == ["chronosketch_spark/__init__.py"]
    assert "chronosketch_spark/py.typed" in spark_wheel.namelist()
    for archive in (wheel, spark_wheel):
        (licence,) = (name for name in archive.namelist() if name.endswith("/licenses/LICENSE"))
        assert archive.read(licence) == (top / "LICENSE").read_bytes()


@pytest.mark.parametrize("extra", ["advisor", "connect", "demo"])
def test_an_extra_with_pandas_keeps_to_the_pandas_that_pyspark_takes(metadata, extra):
    needed = [Requirement(text) for text in metadata.get_all("Requires-Dist")]
    (pandas,) = (
        one for one in needed if one.name == "pandas" and one.marker and one.marker.evaluate({"extra": extra})
    )
    assert "2.3.3" in pandas.specifier
    assert "3.0.0" not in pandas.specifier


def test_the_classes_of_the_jar_are_ours(jar):
    classes = [name for name in jar.namelist() if name.endswith(".class")]
    assert classes
    assert [name for name in classes if not name.startswith("chronosketch/")] == []


def test_shaded_classes_are_relocated(jar):
    files = [name for name in jar.namelist() if not name.endswith("/")]
    taken = [name for name in files if "datadoghq" in name]
    assert taken
    assert [name for name in taken if not name.startswith("chronosketch/shaded/datadoghq/sketch/")] == []
    others = [name for name in files if not name.startswith("chronosketch/interchange/")]
    assert [name for name in others if "proto" in name.lower()] == []
    for name in jar.namelist():
        if name.endswith(".class"):
            code = jar.read(name)
            assert b"com/datadoghq" not in code, name
            assert b"com/google" not in code, name
    assert b"Datadog sketches-java" in jar.read("META-INF/NOTICE")
    assert b"Apache License" in jar.read("META-INF/LICENSE")


def test_the_jar_is_for_java_17(jar):
    for name in jar.namelist():
        if name.endswith(".class"):
            version = int.from_bytes(jar.read(name)[6:8], "big")
            assert version == 61 or (version < 61 and name.startswith("chronosketch/shaded/")), name


def test_spark_finds_the_extension_by_itself(jar):
    provider = jar.read("META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider").decode()
    assert provider.strip() == "chronosketch.spark.ChronosketchExtensions"


def test_error_messages_are_those_of_the_jar(wheel, jar):
    text = jar.read("error/chronosketch-conditions.json")
    assert wheel.read("chronosketch/sketch/conditions.json") == text


def test_the_package_is_typed_and_whole(top, wheel):
    sources = (top / "python" / "chronosketch").rglob("*")
    wanted = {
        f"chronosketch/{p.relative_to(top / 'python' / 'chronosketch')}" for p in sources if p.is_file()
    }
    assert "chronosketch/py.typed" in wanted
    assert {name for name in wanted if "__pycache__" not in name} <= set(wheel.namelist())


def test_the_bill_of_materials_of_python_alone_lists_its_requirements(top, metadata, monkeypatch):
    monkeypatch.syspath_prepend(top / "make")
    bill = importlib.import_module("wheel_bill").wheel_bill(
        top / "target" / "dist" / f"chronosketch-{cs.__version__}-py3-none-any.whl"
    )
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/chronosketch@{cs.__version__}"
    assert bill["metadata"]["component"]["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    required = {part["name"]: part["scope"] for part in bill["components"]}
    assert [name for name, scope in required.items() if scope == "required"] == ["numpy"]
    assert set(required) == {Requirement(text).name for text in metadata.get_all("Requires-Dist")}


def test_third_party_code_is_listed_with_its_licence(jar):
    bill = json.loads(jar.read("META-INF/sbom/chronosketch-spark.cdx.json"))
    listed = jar.read("META-INF/THIRD-PARTY.txt").decode()
    parts = bill["components"]
    shaded = {name.split("/")[2] for name in jar.namelist() if name.startswith("chronosketch/shaded/")} - {""}
    assert shaded == {part["group"].removeprefix("com.") for part in parts}
    for part in parts:
        assert part["licenses"] == [{"license": {"id": "Apache-2.0"}}]
        assert f"{part['group']}:{part['name']}:{part['version']}, Apache-2.0" in listed
        assert (
            part["purl"] == part["bom-ref"] == f"pkg:maven/{part['group']}/{part['name']}@{part['version']}"
        )
        assert len(part["hashes"][0]["content"]) == 64


def test_the_bill_of_materials_of_the_wheel_includes_the_jars(spark_wheel, jar):
    (name,) = (name for name in spark_wheel.namelist() if "/sboms/" in name)
    assert name == f"chronosketch_spark-{cs.__version__}.dist-info/sboms/chronosketch-spark.cdx.json"
    bill = json.loads(spark_wheel.read(name))
    of_jar = json.loads(jar.read("META-INF/sbom/chronosketch-spark.cdx.json"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/chronosketch-spark@{cs.__version__}"
    assert bill["components"][1:] == of_jar["components"]
    carried = spark_wheel.read(f"chronosketch_spark/jars/chronosketch-spark_2.13-{cs.__version__}.jar")
    assert bill["components"][0]["hashes"] == [
        {"alg": "SHA-256", "content": hashlib.sha256(carried).hexdigest()}
    ]
    known = {part["bom-ref"] for part in [bill["metadata"]["component"], *bill["components"]]}
    assert {one["ref"] for one in bill["dependencies"]} == known
    assert {needed for one in bill["dependencies"] for needed in one["dependsOn"]} <= known
