"""Python modules do not import each other in circles, and no file is too long."""

import ast

import pytest
from test_house import MOST_LINES, TOP, circles

# Imports inside functions and imports for type checkers count too. These do not: they say
# for type checkers which class `Sketch.build` returns, and which ones functions take.
TYPES_ONLY = {
    ("chronosketch.sketch.base", "chronosketch.sketch.quantile.sketch"),
    ("chronosketch.sketch.kll", "chronosketch.sketch.answering"),
    ("chronosketch.sketch.union", "chronosketch.sketch.base"),
}

# Packages whose own modules serve their parts, such as errors, and also list what the parts have.
ROOTS = {"chronosketch", "chronosketch.sketch", "chronosketch.advisor"}

# Modules that import by a name in text. The names stand in one table in each of them.
BY_NAME = {"chronosketch", "chronosketch.portable", "chronosketch.sketch", "chronosketch.sketch.families"}


def modules(folder):
    """Return the texts of the modules of a package by name."""
    texts = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        texts[".".join(parts).removesuffix(".__init__")] = path.read_text("utf-8")
    return texts


def imported(text):
    """Return the full names that a module imports, wherever the import stands."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.update(f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Import):
            names.update(one.name for one in node.names)
    return names


def arrows(texts):
    """Return the modules that each module imports."""
    used = {module: set() for module in texts}
    for module, text in texts.items():
        for name in imported(text):
            while name and name not in texts:
                name = name.rpartition(".")[0]
            if name and name != module and (module, name) not in TYPES_ONLY:
                used[module].add(name)
    return used


def between_packages(used):
    """Return the packages that the modules of each package import. A part may use modules of its root."""
    parents = {module.rpartition(".")[0] for module in used}
    home = {module: module if module in parents else module.rpartition(".")[0] for module in used}
    packages = {package: set() for package in home.values()}
    for module, others in used.items():
        here = home[module]
        for there in map(home.get, others):
            is_root = there in ROOTS and here.startswith(f"{there}.")
            if there != here and not is_root:
                packages[here].add(there)
    return packages


@pytest.fixture(scope="module")
def texts():
    found = modules(TOP / "python" / "chronosketch")
    assert len(found) > 100
    return found


def test_a_circle_is_found():
    texts = {
        "p": "from p.a import f",
        "p.a": "def f():\n    from p.b import g",
        "p.b": "if TYPE_CHECKING:\n    import p.c.d",
        "p.c": "",
        "p.c.d": "from p import a",
    }
    assert circles(arrows(texts)) == [("p.a", "p.b", "p.c.d")]
    assert circles(arrows({**texts, "p.c.d": ""})) == []


def test_a_circle_of_packages_is_found():
    texts = {"p.a.one": "import p.b.two", "p.b.two": "", "p.b.three": "import p.a.four", "p.a.four": ""}
    assert circles(arrows(texts)) == []
    assert circles(between_packages(arrows(texts))) == [("p.a", "p.b")]


def test_modules_make_no_circle(texts):
    assert circles(arrows(texts)) == []


def test_benchmarks_make_no_circle():
    texts = {}
    for path in (TOP / "benchmarks").rglob("*.py"):
        parts = path.relative_to(TOP / "benchmarks").with_suffix("").parts
        texts[".".join(parts).removesuffix(".__init__")] = path.read_text("utf-8")
    assert len(texts) > 40
    assert circles(arrows(texts)) == []


def test_packages_make_no_circle(texts):
    assert circles(between_packages(arrows(texts))) == []


def test_modules_are_imported_by_name_in_few_places(texts):
    assert {module for module, text in texts.items() if "import_module(" in text} == BY_NAME


def test_no_file_is_long(texts):
    lines = {module: text.count("\n") for module, text in texts.items()}
    assert {module: n for module, n in lines.items() if n > MOST_LINES} == {}
