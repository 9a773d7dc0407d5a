"""JSON of others: what Python's reader would take in silence, or die of, is one sentence."""

from __future__ import annotations

import gzip
import json

import pytest

from bayesloom.errors import InputError
from bayesloom.json_input import KINDS, described, field, load_json, read_json, read_json_object

REFUSED = {
    '{"a": 1, "a": 2}': "the key 'a' is in one object twice",
    '[{"b": {"a": 1, "c": 0, "a": 1}}]': "the key 'a' is in one object twice",
    "[NaN]": "NaN is not a number of JSON",
    "[-Infinity]": "-Infinity is not a number of JSON",
    "[1e999]": "the number 1e999 is too large to be read",
    "[-1.5e400]": "the number -1.5e400 is too large to be read",
    f"[{'9' * 400}]": "a number has 400 digits",
    f"[{'9' * 100_000}]": "a number has 100,000 digits",
    "[" * 100_000: "nested too deeply",
    '{"a":' * 100_000: "nested too deeply",
    "[" * 100_000 + "]" * 100_000: "nested too deeply",  # Python 3.13 reads 5,000 levels
    '["a\nb"]': "line 1: the JSON is damaged: Invalid control character",
    "[1,\n2,\n": "line 3: the JSON is damaged",
    "": "line 1: the JSON is damaged",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:20]))
def test_refused_in_one_sentence(text):
    with pytest.raises(InputError) as error:
        load_json(text, "a.json")
    message = str(error.value)
    assert message.startswith("a.json")
    assert REFUSED[text] in message
    assert "\n" not in message
    assert len(message) < 200


def test_what_is_json_is_read_as_it_is():
    data = {"a": [1, -2.5, 1e300, 10**300, None, True, "\u2028"], "b": {"a": {}}}
    assert load_json(json.dumps(data), "a.json") == data


def test_files_may_be_packed_and_carry_a_mark(tmp_path):
    packed = tmp_path / "run.JSON.GZ"
    packed.write_bytes(gzip.compress(b'\xef\xbb\xbf{"a": 1}'))
    assert read_json(packed) == {"a": 1}
    plain = tmp_path / "run.json"
    plain.write_bytes(b"[1]")
    with pytest.raises(InputError, match="expected a JSON object, found a list"):
        read_json_object(plain)
    plain.write_bytes(b'"\xff"')
    with pytest.raises(InputError, match="not UTF-8"):
        read_json(plain)
    with pytest.raises(InputError, match="no such file"):
        read_json(tmp_path / "none.json")


VALUES = [None, True, 3, -1, 2.5, "text", [], ["a"], [1], {}, {"a": ["b"]}, {"a": 1}, {"a": None}]


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_is_of_the_kind_asked_for_or_refused(kind):
    for value in VALUES:
        if KINDS[kind](value):
            assert field({"x": value}, "x", kind, "a.json") is value
        else:
            with pytest.raises(InputError, match=rf'a.json: "x" must be {kind}, found '):
                field({"x": value}, "x", kind, "a.json")
    with pytest.raises(InputError, match='"x" is missing'):
        field({}, "x", kind, "a.json")
    assert field({}, "x", kind, "a.json", default=5) == 5
    assert field({"x": None}, "x", kind, "a.json", default=5) == 5


def test_numbers_are_finite_and_no_truth_values():
    number = KINDS["a number"]
    assert [number(v) for v in (0, -1.5, True, float("inf"), float("nan"), 10**400)] == [1, 1, 0, 0, 0, 0]


def test_a_description_is_short_whatever_the_value():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, "x" * 10**6, 10**4000, {"a": deep}, [1] * 10**5):
        assert len(described(value)) < 60
