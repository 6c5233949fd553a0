"""Find the classes, methods and fields of Spark that a jar refers to and a Spark does not have.

Java finds a missing method only when it is called, and then ends the query with NoSuchMethodError. So a path
that no test takes on an older Spark breaks there unnoticed. The constant pool of a class names everything
that the class refers to (JVM specification, chapter 4).
"""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass

# Parents of most classes, without members that a jar would find missing.
WITHOUT_MEMBERS = {"java/lang/Object", "java/io/Serializable"}
UTF8, LONG, DOUBLE, CLASS, METHOD_HANDLE = 1, 5, 6, 7, 15
FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE = 9, 10, 11, 12
# The bytes of a constant after its tag.
SIZES = {
    **dict.fromkeys((CLASS, 8, 16, 19, 20), 2),
    METHOD_HANDLE: 3,
    **dict.fromkeys((3, 4, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, 17, 18), 4),
    **dict.fromkeys((LONG, DOUBLE), 8),
}


@dataclass(frozen=True)
class ClassFile:
    """The names in a class file. A member is a name and a type."""

    parents: tuple[str, ...]
    members: frozenset[tuple[str, str]]
    references: frozenset[tuple[str, str, str]]
    classes: frozenset[str]


def read_class(data: bytes) -> ClassFile:
    """Read the parents, the members, and the references to members of other classes."""
    count = struct.unpack_from(">H", data, 8)[0]
    constants: list[tuple | None] = [None] * count
    at, index = 10, 1
    while index < count:
        tag = data[at]
        if tag == UTF8:
            size = struct.unpack_from(">H", data, at + 1)[0] + 2
            constants[index] = (tag, data[at + 3 : at + 1 + size].decode("utf-8", "replace"))
        else:
            size = SIZES[tag]
            if size in (2, 4):
                constants[index] = (tag, *struct.unpack_from(f">{size // 2}H", data, at + 1))
        at += 1 + size
        index += 2 if tag in (LONG, DOUBLE) else 1

    def class_name(index):
        return constants[constants[index][1]][1]

    def member(name_and_type):
        return tuple(constants[index][1] for index in constants[name_and_type][1:])

    parent, interfaces = struct.unpack_from(">HH", data, at + 4)
    above = struct.unpack_from(f">{interfaces}H", data, at + 8)
    at += 8 + 2 * interfaces
    members = set()
    for _ in ("fields", "methods"):
        many = struct.unpack_from(">H", data, at)[0]
        at += 2
        for _ in range(many):
            name, of_type, attributes = struct.unpack_from(">HHH", data, at + 2)
            members.add((constants[name][1], constants[of_type][1]))
            at += 8
            for _ in range(attributes):
                at += 6 + struct.unpack_from(">I", data, at + 2)[0]
    return ClassFile(
        tuple(class_name(index) for index in (parent, *above) if index),
        frozenset(members),
        frozenset(
            (class_name(constant[1]), *member(constant[2]))
            for constant in constants
            if constant and constant[0] in (FIELD, METHOD, INTERFACE_METHOD)
        ),
        frozenset(constants[constant[1]][1] for constant in constants if constant and constant[0] == CLASS),
    )


class Library:
    """The classes of some jars."""

    def __init__(self, jars):
        self._places = {}
        self._read = {}
        for jar in jars:
            archive = zipfile.ZipFile(jar)
            for name in archive.namelist():
                if name.endswith(".class"):
                    self._places.setdefault(name.removesuffix(".class"), (archive, name))

    def find(self, name: str) -> ClassFile | None:
        """Return a class, or None if no jar has it."""
        if name not in self._read:
            archive, place = self._places.get(name, (None, None))
            self._read[name] = read_class(archive.read(place)) if archive else None
        return self._read[name]

    def has(self, owner: str, member: tuple[str, str]) -> bool:
        """Whether a class, or one above it, has a member. Those of Java are taken to have every member.

        A class does not inherit constructors.
        """
        found = self.find(owner)
        if found is None:
            return owner not in WITHOUT_MEMBERS and owner.startswith("java/")
        above = () if member[0] == "<init>" else found.parents
        return member in found.members or any(self.has(parent, member) for parent in above)


def missing(jar, spark_jars) -> dict[str, set[str]]:
    """Return what a jar's own classes refer to in Spark and is not there, with the classes that refer to it.

    Not the bodies of a trait's methods, whose names end in a dollar sign: whoever mixes in a trait refers to
    all of them, but a body is called only by a Spark that has the method.
    """
    library = Library(spark_jars)
    absent = {}
    with zipfile.ZipFile(jar) as archive:
        for name in archive.namelist():
            if not (name.startswith("chronosketch/") and name.endswith(".class")):
                continue
            read = read_class(archive.read(name))
            gone = {owner for owner in read.classes if is_of_spark(owner) and library.find(owner) is None}
            gone |= {
                f"{owner}.{member}{of_type}"
                for owner, member, of_type in read.references
                if is_of_spark(owner)
                and library.find(owner)
                and not (member.endswith("$") or is_of_object(member))
                and not library.has(owner, (member, of_type))
            }
            for reference in gone:
                absent.setdefault(reference, set()).add(name.removesuffix(".class"))
    return absent


def is_of_spark(name: str) -> bool:
    return name.startswith("org/apache/spark/")


def is_of_object(member: str) -> bool:
    """Whether every object has a method of this name."""
    return member in {"clone", "equals", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"}
