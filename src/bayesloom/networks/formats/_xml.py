"""A small tree of XML elements that remember their lines; shared by XMLBIF and GraphML.

Entity declarations are refused: no network file needs them, and they are how small files become
enormous ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from bayesloom.errors import InputError
from bayesloom.networks.formats._format import Source

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Not by xml.sax.saxutils, which imports what it takes to open addresses.
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)

DEEPEST = 50
DECLARED = 1000  # attributes: the parser goes through all of an element for each more


@dataclass(slots=True)
class Element:
    """One element; `text` is its own text without that of its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: Sequence[Element] = ()  # a list from the first child on: most elements have none

    def all(self, tag: str) -> Iterator[Element]:
        """Children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def word(self) -> str:
        """The text without white space around it, unless ``xml:space`` says to keep it."""
        return self.text if self.attributes.get("xml:space") == "preserve" else self.text.strip()


def parse(source: Source) -> Element:
    """Return the root element."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    root = Element("", {}, 0)
    stack = [root]
    pieces: list[str] = []  # of the text of all open elements
    first = [0]  # of each open element, in `pieces`

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > DEEPEST:
            raise source.error_on(parser.CurrentLineNumber, f"elements are nested more than {DEEPEST} deep.")
        element = Element(tag, attributes, parser.CurrentLineNumber)
        parent = stack[-1]
        if isinstance(parent.children, list):
            parent.children.append(element)
        else:
            parent.children = [element]
        stack.append(element)
        first.append(len(pieces))

    def end(tag: str) -> None:
        element, begin = stack.pop(), first.pop()
        if begin < len(pieces):
            element.text = "".join(pieces[begin:])
            del pieces[begin:]

    def entity(*_: object) -> None:
        raise source.error_on(parser.CurrentLineNumber, "entity declarations are not read. Remove them.")

    declared = 0

    def attribute(*_: object) -> None:
        nonlocal declared
        declared += 1
        if declared > DECLARED:
            words = f"more than {DECLARED:,} attributes are declared. Remove the declarations."
            raise source.error_on(parser.CurrentLineNumber, words)

    def undefined(name: str, *_: object) -> None:
        # Where a document type is declared elsewhere, expat leaves out what it might define.
        raise source.error_on(parser.CurrentLineNumber, f"the entity &{name}; is not defined.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = pieces.append
    parser.EntityDeclHandler = entity
    parser.AttlistDeclHandler = attribute
    parser.SkippedEntityHandler = undefined
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        raise source.error_on(error.lineno, f"the XML is damaged: {expat.ErrorString(error.code)}.") from None
    except InputError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that Python or expat does not know
        raise source.error_on(1, f"the encoding cannot be read: {error}.") from None
    return root.children[0]


def check_children(source: Source, parent: Element, known: frozenset[str]) -> None:
    """Refuse children and text that are not known: what is not read could say something else."""
    for child in parent.children:
        if child.tag not in known:
            where = f"<{child.tag}> in <{parent.tag}>"
            raise source.error_on(child.line, f"{where} is not known; expected {', '.join(sorted(known))}.")
    if known and (stray := parent.text.strip()):
        raise source.error_on(parent.line, f"found the text {stray[:30]!r} in <{parent.tag}>.")


def element(tag: str, word: str) -> str:
    """Return an element with this text, which `Element.word` reads back exactly."""
    keep = ' xml:space="preserve"' if word != word.strip() else ""
    return f"<{tag}{keep}>{text(word)}</{tag}>"


def text(word: str) -> str:
    """Return the word with markup escaped, for element text and for quoted attributes."""
    if found := _NOT_XML.search(word):
        raise InputError(f"{word!r} holds {found[0]!r}, which XML cannot. Rename it, or write JSON.")
    return word.translate(_ESCAPES)
