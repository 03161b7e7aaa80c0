from __future__ import annotations

import base64
import copy
import json
import pickle
import traceback
from urllib.parse import quote, quote_plus

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.secret import MASK, Redactor, Secret

TOKEN = 'sk-4f/9+Zq=é"x'


@attrs.frozen
class Holder:
    token: Secret


def test_a_secret_tells_its_value_only_when_asked() -> None:
    secret = Secret(TOKEN, "$TOKEN")
    assert secret.reveal() == TOKEN
    assert secret.source == "$TOKEN"


@pytest.mark.parametrize("show", [str, repr, "{}".format, "{!r:>5}".format, lambda s: f"{s}"])
def test_no_way_of_printing_shows_a_secret(show: object) -> None:
    assert callable(show)
    assert str(show(Secret(TOKEN))).strip() == MASK
    assert TOKEN not in str(show(Holder(Secret(TOKEN))))


def test_attrs_does_not_look_inside_a_secret() -> None:
    assert attrs.asdict(Holder(Secret(TOKEN))) == {"token": Secret(TOKEN)}


def test_a_traceback_with_local_variables_does_not_show_a_secret() -> None:
    def use(secret: Secret) -> None:
        raise RuntimeError(f"refused {secret}")

    with pytest.raises(RuntimeError) as caught:
        use(Secret(TOKEN))
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    text = "".join(shown.format())
    assert "secret = ***" in text
    assert "refused ***" in text


def test_a_secret_is_neither_pickled_nor_written_as_json() -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Secret(TOKEN))
    with pytest.raises(TypeError):
        json.dumps(Secret(TOKEN))


def test_copies_of_a_secret_are_the_secret() -> None:
    holder = Holder(Secret(TOKEN))
    assert copy.copy(holder) == holder
    assert copy.deepcopy(holder).token.reveal() == TOKEN


def test_secrets_are_equal_by_value_alone() -> None:
    assert Secret("a", "$A") == Secret("a", "$B")
    assert len({Secret("a", "$A"), Secret("a", "$B"), Secret("b")}) == 2
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert not Secret("")


def redactor(*values: str) -> Redactor:
    return Redactor([Secret(value) for value in values])


def test_text_without_secrets_is_the_same_object() -> None:
    text = "nothing to see"
    assert Redactor().text(text) is text
    assert redactor("12345678").text(text) is text


def test_every_occurrence_in_text_is_replaced() -> None:
    assert redactor("12345678").text("a12345678b 12345678") == f"a{MASK}b {MASK}"


def test_the_longer_secret_is_replaced_where_one_holds_the_other() -> None:
    assert redactor("abcdefgh", "abcdefgh-long").text("see abcdefgh-long.") == f"see {MASK}."


def test_secrets_that_overlap_are_replaced_as_one() -> None:
    assert redactor("abcdefgh1234", "1234ijklmnop").text("<abcdefgh1234ijklmnop>") == f"<{MASK}>"
    assert redactor("abababab").text("abababababX") == f"{MASK}X"


@pytest.mark.parametrize(
    "written",
    [
        TOKEN,
        json.dumps(TOKEN)[1:-1],
        json.dumps(TOKEN, ensure_ascii=False)[1:-1],
        quote(TOKEN),
        quote(TOKEN, safe=""),
        quote_plus(TOKEN),
    ],
)
def test_a_secret_is_found_however_json_and_urls_write_it(written: str) -> None:
    assert redactor(TOKEN).text(f"before {written} behind") == f"before {MASK} behind"


@pytest.mark.parametrize("before", ["", "u", "us", "use", "user:"])
@pytest.mark.parametrize("behind", ["", "x", "xy", ":tail"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_is_found_inside_base64(before: str, behind: str, encode: object) -> None:
    assert callable(encode)
    written = encode(f"{before}{TOKEN}{behind}".encode()).decode()
    shown = redactor(TOKEN).text(f"Basic {written}")
    assert MASK in shown
    # At most the characters at the edges remain, which hold bits of the neighbours.
    edges = shown.removeprefix("Basic ").replace(MASK, "").rstrip("=")
    assert len(edges) <= (4 * (len(before) + len(behind)) + 2) // 3 + 4


def test_a_secret_is_found_without_the_white_space_around_it() -> None:
    assert redactor("token-from-a-file\n").text("Bearer token-from-a-file;") == f"Bearer {MASK};"


def test_short_secrets_are_left_alone_with_a_warning() -> None:
    made = Redactor([Secret("1234567", "$PIN"), Secret("", "$EMPTY"), Secret("12345678", "$OK")])
    assert made.text("1234567") == "1234567"
    assert made.warnings == (
        "$PIN: shorter than 8 characters, so it is not replaced in reports; use a longer one.",
    )


def test_values_are_the_same_object_when_nothing_is_replaced() -> None:
    value = {"a": [1, "two", None, {"b": ("c", 1.5, True)}]}
    assert Redactor().value(value) is value
    assert redactor("12345678").value(value) is value


def test_nested_values_and_keys_are_replaced_in_a_copy() -> None:
    value = {"k-12345678": ["x", {"deep": ("12345678", 1)}], "rest": None}
    before = copy.deepcopy(value)
    assert redactor("12345678").value(value) == {
        f"k-{MASK}": ["x", {"deep": (MASK, 1)}],
        "rest": None,
    }
    assert value == before


def test_two_secrets_as_keys_lose_no_value() -> None:
    made = redactor("first-secret", "other-secret")
    value = made.value({"first-secret": 1, "other-secret": 2, MASK: 3})
    assert isinstance(value, dict)
    assert sorted(value.values()) == [1, 2, 3]


def test_a_secret_of_digits_is_replaced_where_json_holds_a_number() -> None:
    made = redactor("12345678")
    assert made.value([12345678, -12345678, 12345678.0, 1234567, True]) == [
        MASK,
        MASK,
        MASK,
        1234567,
        True,
    ]
    assert redactor("00000001").value([1]) == [1]


def test_deeply_nested_values_are_replaced() -> None:
    value: object = "12345678"
    for _ in range(50_000):
        value = [{"a": value}]
    made = redactor("12345678")
    shown = made.value(value)
    for _ in range(50_000):
        assert isinstance(shown, list)
        shown = shown[0]["a"]
    assert shown == MASK


def test_lone_surrogates_break_nothing() -> None:
    made = redactor("token\ud800token")
    assert made.text("a token\ud800token \udfff") == f"a {MASK} \udfff"


secrets = st.text(st.characters(exclude_characters="*", exclude_categories=["Z", "C"]), min_size=8)
plain = st.text(max_size=6)


@settings(deadline=None)
@given(st.lists(secrets, min_size=1, max_size=3), st.data())
def test_no_secret_is_left_in_text(values: list[str], data: st.DataObject) -> None:
    parts = data.draw(st.lists(st.one_of(plain, st.sampled_from(values)), max_size=8))
    shown = redactor(*values).text("".join(parts))
    assert not any(value in shown for value in values)


@settings(deadline=None)
@given(st.lists(secrets, min_size=1, max_size=3), st.data())
def test_no_secret_is_left_in_the_json_of_a_value(values: list[str], data: st.DataObject) -> None:
    texts = st.one_of(
        plain, st.sampled_from(values), st.sampled_from(values).map(lambda v: f"<{v}>")
    )
    value = data.draw(
        st.recursive(
            st.one_of(texts, st.integers(), st.none(), st.booleans()),
            lambda inner: st.one_of(
                st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)
            ),
            max_leaves=12,
        )
    )
    made = redactor(*values)
    shown = made.value(value)
    written = json.dumps(shown, ensure_ascii=False)
    assert not any(json.dumps(secret, ensure_ascii=False)[1:-1] in written for secret in values)
    assert made.value(shown) == shown


@settings(deadline=None)
@given(secrets, plain, plain)
def test_text_around_a_secret_stays(value: str, before: str, behind: str) -> None:
    shown = redactor(value).text(f"{before}\n{value}\n{behind}")
    if value not in before and value not in behind:
        assert shown == f"{before}\n{MASK}\n{behind}"
