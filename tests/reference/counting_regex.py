"""Regular expressions that count their steps: the slow, obvious twin of ``re``, for what time a reader takes.

A pattern is parsed by Python's own parser and matched by trying, as ``re`` does: an alternative after the
other, a repetition as often as it goes and, unless it is possessive, one less and one less. Every character
looked at is a step. The number of steps does not depend on the machine, so a test can hold it against the
length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

Groups = dict[int, tuple[int, int]]
State = tuple[int, Groups]  # position, and where the groups are

steps = 0


class Found:
    """What a match object is asked for by the readers."""

    def __init__(self, text: Any, start: int, state: State, pattern: CountingPattern) -> None:
        self._text, self._pattern = text, pattern
        self._spans = {0: (start, state[0]), **state[1]}

    def _number(self, group: int | str) -> int:
        return self._pattern.groupindex[group] if isinstance(group, str) else group

    def __getitem__(self, group: int | str) -> Any:
        span = self._spans.get(self._number(group))
        return None if span is None else self._text[span[0] : span[1]]

    def start(self) -> int:
        return self._spans[0][0]

    def end(self) -> int:
        return self._spans[0][1]

    def groups(self) -> tuple[Any, ...]:
        return tuple(self[k] for k in range(1, self._pattern.groups + 1))

    @property
    def lastgroup(self) -> str | None:
        names = {number: name for name, number in self._pattern.groupindex.items()}
        return next((names[k] for k in self._spans if k in names), None)


class CountingPattern:
    """A compiled pattern with the methods that the readers call."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self.pattern, self.flags, self.groupindex = pattern.pattern, pattern.flags, pattern.groupindex
        self.groups = pattern.groups
        self._tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE.value)
        self._bytes = isinstance(pattern.pattern, bytes)

    def match(self, text: Any, position: int = 0) -> Found | None:
        state = next(self._all(list(self._tree), text, (position, {})), None)
        return None if state is None else Found(text, position, state, self)

    def fullmatch(self, text: Any, position: int = 0) -> Found | None:
        for state in self._all(list(self._tree), text, (position, {})):
            if state[0] == len(text):
                return Found(text, position, state, self)
        return None

    def search(self, text: Any, position: int = 0) -> Found | None:
        return next(self.finditer(text, position), None)

    def finditer(self, text: Any, position: int = 0) -> Iterator[Found]:
        while position <= len(text):
            found = self.match(text, position)
            if found is None:
                position += 1
                continue
            yield found
            position = found.end() if found.end() > position else position + 1

    def findall(self, text: Any) -> list[Any]:
        return [found[1] or text[:0] if self.groups else found[0] for found in self.finditer(text)]

    def sub(self, replacement: Any, text: Any) -> Any:
        pieces, position = [], 0
        for found in self.finditer(text):
            new = replacement(found) if callable(replacement) else replacement
            new = found[1] if new == r"\1" else new
            pieces += [text[position : found.start()], new]
            position = found.end()
        return text[:0].join([*pieces, text[position:]])

    # One generator per kind of node: all the ways to match from a state, the preferred first.

    def _all(self, nodes: list[Any], text: Any, state: State) -> Iterator[State]:
        if not nodes:
            yield state
            return
        (kind, value), rest = nodes[0], nodes[1:]
        if kind in (op.MAX_REPEAT, op.POSSESSIVE_REPEAT, op.MIN_REPEAT):
            ways = self._repeated(kind, value, text, state)
        else:
            ways = self._one(kind, value, text, state)
        for after in ways:
            yield from self._all(rest, text, after) if rest else iter((after,))

    def _repeated(self, kind: Any, value: Any, text: Any, state: State) -> Iterator[State]:
        least, most, inner = value[0], value[1], list(value[2])
        if kind is op.POSSESSIVE_REPEAT or (len(inner) == 1 and inner[0][0] in SINGLE):
            reached = [state]
            while len(reached) <= most:
                after = next(self._all(inner, text, reached[-1]), None)
                if after is None or (after[0] == reached[-1][0] and len(reached) > least):
                    break
                reached.append(after)
            if len(reached) - 1 < least:
                return
            if kind is op.POSSESSIVE_REPEAT:
                yield reached[-1]
            else:
                ends = reached[least:]
                yield from reversed(ends) if kind is op.MAX_REPEAT else ends
            return
        yield from self._in_turn(inner, text, state, least, most, kind is op.MIN_REPEAT)

    def _in_turn(
        self, inner: list[Any], text: Any, state: State, least: int, most: int, few: bool
    ) -> Iterator[State]:
        if few and least <= 0:
            yield state
        if most > 0:
            for after in self._all(inner, text, state):
                if after[0] > state[0]:
                    yield from self._in_turn(inner, text, after, least - 1, most - 1, few)
                elif least > 0:
                    yield after
        if not few and least <= 0:
            yield state

    def _one(self, kind: Any, value: Any, text: Any, state: State) -> Iterator[State]:
        global steps
        steps += 1
        position, groups = state
        if kind in SINGLE:
            if position < len(text) and self._fits(kind, value, text[position]):
                yield position + 1, groups
        elif kind is op.SUBPATTERN:
            number, _, _, inner = value
            for end, inside in self._all(list(inner), text, state):
                yield end, inside if number is None else {**inside, number: (position, end)}
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from self._all(list(branch), text, state)
        elif kind is op.ATOMIC_GROUP:
            yield from [after for after in [next(self._all(list(value), text, state), None)] if after]
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            direction, inner = value
            start = position
            if direction < 0:
                width = inner.getwidth()[0]
                start = position - width
            ahead = None if start < 0 else next(self._all(list(inner), text, (start, groups)), None)
            holds = ahead is not None and (direction > 0 or ahead[0] == position)
            if holds == (kind is op.ASSERT):
                yield state
        elif kind is op.AT:
            if self._is_at(value, text, position):
                yield state
        elif kind is op.FAILURE:
            return
        else:
            raise NotImplementedError(str(kind))

    def _is_at(self, where: Any, text: Any, position: int) -> bool:
        newline = 10 if self._bytes else "\n"
        if where in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            many = where is op.AT_BEGINNING and self.flags & re.MULTILINE
            return position == 0 or bool(many and text[position - 1] == newline)
        if where is op.AT_END_STRING:
            return position == len(text)
        if where is op.AT_END:
            last = position == len(text) - 1 or bool(self.flags & re.MULTILINE)
            return position == len(text) or (last and text[position] == newline)
        if where is op.AT_BOUNDARY:
            before = position > 0 and self._in_category(op.CATEGORY_WORD, text[position - 1])
            after = position < len(text) and self._in_category(op.CATEGORY_WORD, text[position])
            return before != after
        raise NotImplementedError(str(where))

    def _fits(self, kind: Any, value: Any, character: Any) -> bool:
        code = character if self._bytes else ord(character)
        if self.flags & re.IGNORECASE and not self._bytes:
            return any(self._fits_code(kind, value, ord(c)) for c in {character, *character.swapcase()[:1]})
        return self._fits_code(kind, value, code)

    def _fits_code(self, kind: Any, value: Any, code: int) -> bool:
        if kind is op.LITERAL:
            return bool(code == value)
        if kind is op.NOT_LITERAL:
            return bool(code != value)
        if kind is op.ANY:
            return bool(self.flags & re.DOTALL) or code != 10
        negated, found = False, False
        for inner, what in value:
            if inner is op.NEGATE:
                negated = True
            elif inner is op.LITERAL:
                found |= code == what
            elif inner is op.RANGE:
                found |= what[0] <= code <= what[1]
            elif inner is op.CATEGORY:
                found |= self._in_category(what, code if self._bytes else chr(code))
            else:
                raise NotImplementedError(str(inner))
        return found != negated

    def _in_category(self, category: Any, character: Any) -> bool:
        letter = chr(character) if isinstance(character, int) else character
        ascii_only = self._bytes or bool(self.flags & re.ASCII)
        kinds: dict[Any, Callable[[str], bool]] = {
            op.CATEGORY_SPACE: lambda c: c.isspace() and (not ascii_only or c in " \t\n\r\v\f"),
            op.CATEGORY_WORD: lambda c: (c.isalnum() or c == "_") and (not ascii_only or c.isascii()),
            op.CATEGORY_DIGIT: lambda c: unicodedata.category(c) == "Nd" and (not ascii_only or c.isascii()),
        }
        opposite = {
            op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
            op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
            op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
        }
        if category in opposite:
            return not kinds[opposite[category]](letter)
        return kinds[category](letter)


SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)
