"""JSON paths: their forms, RFC 9535, and what must not go wrong on hostile data."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import CannotCheck
from assay.jsonvalue.paths import render
from assay_plugins.assertions._paths import parse_path

# The example of RFC 9535, figure 1.
STORE: Any = {
    "store": {
        "book": [
            {
                "category": "reference",
                "author": "Nigel Rees",
                "title": "Sayings of the Century",
                "price": 8.95,
            },
            {
                "category": "fiction",
                "author": "Evelyn Waugh",
                "title": "Sword of Honour",
                "price": 12.99,
            },
            {
                "category": "fiction",
                "author": "Herman Melville",
                "title": "Moby Dick",
                "isbn": "0-553-21311-3",
                "price": 8.99,
            },
            {
                "category": "fiction",
                "author": "J. R. R. Tolkien",
                "title": "The Lord of the Rings",
                "isbn": "0-395-19395-8",
                "price": 22.99,
            },
        ],
        "bicycle": {"color": "red", "price": 399},
    }
}
BOOKS: list[Any] = STORE["store"]["book"]

# RFC 9535, section 2.3.5.3.
EMPTY: dict[str, object] = {}
NUMBERS: list[Any] = [3, 5, 1, 2, 4, 6]
FILTERED: Any = {
    "a": [*NUMBERS, {"b": "j"}, {"b": "k"}, {"b": EMPTY}, {"b": "kilo"}],
    "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}},
    "e": "f",
}


NONE: list[object] = []
FALSY: list[object] = [0, False, "", None, NONE, EMPTY]


def values(path: str, data: object) -> list[object]:
    return [node.value for node in parse_path(path).find(data)]


def places(path: str, data: object) -> list[str]:
    return [render(node.place) for node in parse_path(path).find(data)]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("a", "$.a"),
        ("a.b", "$.a.b"),
        ("a[0].b", "$.a[0].b"),
        ("a[?@.b].b", "$.a[?@.b].b"),
        ("[0]", "$[0]"),
        ("['a']", "$['a']"),
        ("*", "$.*"),
        ("a..b", "$.a..b"),
    ],
)
@pytest.mark.parametrize("data", [{"a": [{"b": 1}, 2]}, {"a": {"b": 3}}, [4], 5, "a"])
def test_short_forms(short: str, long: str, data: object) -> None:
    assert values(short, data) == values(long, data)
    assert places(short, data) == places(long, data)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.store.book[*].author", [book["author"] for book in BOOKS]),
        ("$..author", [book["author"] for book in BOOKS]),
        ("$.store.*", [BOOKS, STORE["store"]["bicycle"]]),
        ("$.store..price", [8.95, 12.99, 8.99, 22.99, 399]),
        ("$..book[2]", [BOOKS[2]]),
        ("$..book[2].author", ["Herman Melville"]),
        ("$..book[2].publisher", NONE),
        ("$..book[-1]", [BOOKS[3]]),
        ("$..book[0,1]", BOOKS[:2]),
        ("$..book[:2]", BOOKS[:2]),
        ("$..book[::-2].price", [22.99, 12.99]),
        ("$..book[?@.isbn]", BOOKS[2:]),
        ("$..book[?@.price<10]", [BOOKS[0], BOOKS[2]]),
        ("$..book[?match(@.author, '.*Waugh')].price", [12.99]),
        ("$..book[?search(@.title, 'of')].price", [8.95, 12.99, 22.99]),
        ("$..book[?length(@.title) == 9].title", ["Moby Dick"]),
        ("$..book[?count(@.*) == 5].price", [8.99, 22.99]),
        ("$..book[?value(@..isbn) == '0-553-21311-3'].title", ["Moby Dick"]),
        ("$..book[?!@.isbn && @.category == 'fiction'].price", [12.99]),
        ("$..book[?@.price >= $.store.bicycle.price]", NONE),
    ],
)
def test_the_examples_of_the_rfc(path: str, found: list[object]) -> None:
    assert values(path, STORE) == found


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.a[?@.b == 'kilo']", [{"b": "kilo"}]),
        ("$.a[?(@.b == 'kilo')]", [{"b": "kilo"}]),
        ("$.a[?@>3.5]", [5, 4, 6]),
        ("$.a[?@.b]", [{"b": "j"}, {"b": "k"}, {"b": EMPTY}, {"b": "kilo"}]),
        ("$[?@.*]", [FILTERED["a"], FILTERED["o"]]),
        ("$[?@[?@.b]]", [FILTERED["a"]]),
        ("$.o[?@<3, ?@<3]", [1, 2, 1, 2]),
        ('$.a[?@<2 || @.b == "k"]', [1, {"b": "k"}]),
        ('$.a[?match(@.b, "[jk]")]', [{"b": "j"}, {"b": "k"}]),
        ('$.a[?search(@.b, "[jk]")]', [{"b": "j"}, {"b": "k"}, {"b": "kilo"}]),
        ("$.o[?@>1 && @<4]", [2, 3]),
        ("$.o[?@.u || @.x]", [{"u": 6}]),
        ("$.a[?@.b == $.x]", [3, 5, 1, 2, 4, 6]),
        ("$.a[?@ == @]", FILTERED["a"]),
    ],
)
def test_the_filters_of_the_rfc(path: str, found: list[object]) -> None:
    assert values(path, FILTERED) == found


@pytest.mark.parametrize(
    ("path", "data", "found"),
    [
        # An existence test selects whatever is there, false and empty too.
        ("$[?@]", FALSY, FALSY),
        ("$[?count(@) == 1]", [0, "ab", [1, 2]], [0, "ab", [1, 2]]),
        ("$[?value(@) == 'ab']", [0, "ab"], ["ab"]),
        ("$[?length(@) == 2]", ["ab", [1, 2], {"a": 1}, 2], ["ab", [1, 2]]),
        # "$" is the whole value also in a filter within a filter.
        ("$.x[?@.a[?@ == $.k]]", {"k": 3, "x": [{"a": [3]}, {"a": [4]}]}, [{"a": [3]}]),
        # Equality is that of JSON, within lists too.
        ("$[?@ == 1]", [1, 1.0, True, "1"], [1, 1.0]),
        (
            "$[?@.a == @.b]",
            [{"a": [1], "b": [True]}, {"a": [1], "b": [1.0]}],
            [{"a": [1], "b": [1.0]}],
        ),
        ("$[?@ < true]", [False, 0], NONE),
        ("$[?@ <= true]", [False, True, 1], [True]),
        # Big integers keep their digits.
        (
            "$[?@ == 12345678901234567891]",
            [12345678901234567890, 12345678901234567891],
            [12345678901234567891],
        ),
        (
            "$[?@ > -12345678901234567891]",
            [-12345678901234567892, -12345678901234567890],
            [-12345678901234567890],
        ),
        ("$[?@ == 1e2]", [100, 1], [100]),
    ],
)
def test_filters(path: str, data: object, found: list[object]) -> None:
    assert values(path, data) == found


def test_places() -> None:
    data = {"a": [{"b c": 1}], "d": {"e": 2}}

    assert places("$.a[-1]['b c']", data) == ['$.a[0]["b c"]']
    assert places("$..*", data) == ["$.a", "$.d", "$.a[0]", '$.a[0]["b c"]', "$.d.e"]


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("", "the path is empty; write names as $.a.b or $['a b'], and indexes as $.a[0]"),
        (".a", "the path begins with a dot; write $.a"),
        ("..a", "the path begins with a dot; write $..a"),
        ("$.a-b", "not a JSON path at character 4: "),
        ("a-b", "not a JSON path at character 2: "),
        ("need search", "not a JSON path at character 6: "),
        ("items.0", "not a JSON path at character 7: "),
        ("$[01]", "not a JSON path at character 3: "),
        ("$schema", "not a JSON path at character 2: "),
        ("$.a[?length(@.*) > 1]", "not a JSON path at character 6: "),
        ("$.a[?size(@) > 1]", "not a JSON path at character 6: "),
        ("$[" + "9" * 5000 + "]", "a number in the path is too large; "),
        ("$[?@.a == 1e999]", "a number in the path is too large; "),
        ("$[?" + "(" * 5000 + "@" + ")" * 5000 + "]", "the path is nested too deeply; "),
        ("$[?match(@.a, 'a(')]", "the pattern at character 16 is wrong: "),
        ("a[?@.b || !(search(@.c[?search(@, '[')], 'b'))]", "not a JSON path at character "),
        ("a[?@.b || !(@.c[?search(@, '[')])]", "the pattern at character 29 is wrong: "),
        ("$[?search(@, '(?=a)')]", "the pattern at character 15 is wrong: "),
    ],
)
def test_what_is_no_path_is_refused(path: str, what: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
        parse_path(path)

    assert str(caught.value).startswith(what)
    assert "; " in str(caught.value)


@given(st.text(max_size=20) | st.text("$.[]?@'a0*,:()!=&|<> ", max_size=20))
def test_any_text_is_a_path_or_refused(path: str) -> None:
    try:
        found = parse_path(path).find({"a": [{"a": 0}]})
    except ValueError:
        return
    assert isinstance(found, list)


DATA = st.recursive(
    st.none() | st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=12,
)
SEGMENTS = st.lists(
    st.sampled_from(
        [
            ".a", ".b", ".*", "..a", "..*", "[0]", "[-1]", "[1:]", "[::-1]", "['a','c']",
            "[?@.a]", "[?@.a == 1]", "[?@ == 'a' || @.b]", "[?!@.a && @.b > 0]", "..[?@.a < 2]",
            "[?length(@) > 1]", "[?count(@.*) >= 2]", "[?match(@, 'a.?')]", "[?search(@.a, 'b')]",
        ]
    ),
    max_size=4,
)  # fmt: skip


@given(data=DATA, segments=SEGMENTS)
def test_it_finds_what_the_library_finds(data: Any, segments: list[str]) -> None:
    # The library passes the compliance suite; on data that is not hostile the two agree.
    path = "$" + "".join(segments)

    assert values(path, data) == jsonpath_rfc9535.find(path, data).values()


def nested(depth: int) -> object:
    value: object = {"needle": 1}
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def test_deep_data() -> None:
    data = nested(20_000)

    assert values("$..needle", data) == [1]
    assert len(values("$..*", data)) == 20_001
    assert len(values("$..[?@.needle]", data)) == 1


def test_deep_data_in_comparisons() -> None:
    one, two = nested(20_000), nested(20_000)

    assert len(values("$[?@.x == @.y]", [{"x": one, "y": two}, {"x": one, "y": 1}])) == 1


def test_long_paths() -> None:
    data = nested(4000)

    assert values("$" + ".*" * 4000 + ".needle", data) == [1]


def test_a_path_that_is_too_deep_for_where_it_is_looked_up() -> None:
    def nest(levels: int) -> str:
        return "$" + "[?@" * levels + "]" * levels

    levels, deepest = 1, parse_path("$")
    while True:
        try:
            deepest = parse_path(nest(levels))
        except ValueError as error:
            assert str(error) == "the path is nested too deeply; write shorter filters"  # noqa: PT017 - the loop ends here
            break
        levels += 1
    data: object = []
    for _ in range(levels):
        data = [data]

    def lower(calls: int) -> object:
        return lower(calls - 1) if calls else deepest.find(data)

    with pytest.raises(CannotCheck, match="nested too deeply to be looked up"):
        lower(sys.getrecursionlimit() - len(inspect.stack()) - 50)


def test_patterns_are_linear_whoever_wrote_them() -> None:
    text = "a" * 100_000

    assert values("$[?search(@, '(a*)*b')]", [text]) == []
    assert values("$[?match(@, '(a|aa)+')]", [text]) == [text]
    assert values("$.t[?match(@, $.p)]", {"p": "(a|a)*c", "t": [text]}) == []


@pytest.mark.parametrize(
    ("pattern", "text", "whole"),
    [
        ("a.b", "a\u2028b", True),
        ("a.b", "a\nb", False),
        ("a[.]b", "a.b", True),
        ("a[.]b", "axb", False),
        (r"a\\.b", "a.b", True),
        (r"a\\.b", "axb", False),
        ("a|b", "ab", False),
        (r"[^\\]]", "x", True),
    ],
)
def test_patterns_are_translated(pattern: str, text: str, whole: bool) -> None:
    assert bool(values(f"$[?match(@, '{pattern}')]", [text])) is whole


def test_a_wrong_pattern_in_the_data_matches_nothing() -> None:
    assert values("$.t[?search(@, $.p)]", {"p": "(", "t": ["("]}) == []
    assert values("$.t[?match(@, $.p)]", {"p": "a)|(b", "t": ["a"]}) == []


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("a.c", "$.a has no .c, only b"),
        ("x", '$ has no .x, only a, list, "b c", empty'),
        ("['b d']", '$ has no ["b d"], only a, list, ["b c"], empty'),
        ("empty.x", "$.empty has no .x: it is empty"),
        ("a.b.c", "$.a.b is an integer, no object"),
        ("list.x", "$.list is an array, no object"),
        ("a[0]", "$.a is an object, no array"),
        ("list[2]", "$.list has 2 elements, none at [2]"),
        ("list[-3]", "$.list has 2 elements, none at [-3]"),
        ("list[?@ > 9]", "nothing in $.list matches [?@ > 9]"),
        ("a..x", "nothing in $.a matches ..['x']"),
    ],
)
def test_why_a_path_has_no_match(path: str, why: str) -> None:
    data = {"a": {"b": 1}, "list": [1, 2], "b c": 3, "empty": {}}
    parsed = parse_path(path)

    assert parsed.find(data) == []
    assert parsed.why_missing(data) == why.replace(', "b c"', ', ["b c"]')


def test_many_names_are_cut() -> None:
    why = parse_path("x").why_missing({f"k{number}": 0 for number in range(1000)})

    assert why == "$ has no .x, only k0, k1, k2, k3, k4, k5, k6, k7, …"
