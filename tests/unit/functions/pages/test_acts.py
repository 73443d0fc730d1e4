"""Acts on the page: shown before they are done, done once, by operators, from a form of this site and session."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.builders import World, a_plan, a_world, one_bad
from tests.unit.functions.pages.browsing import FIELDS, Browser, Opened, Shown, opened

GOOD, BAD = b"id,note\n1,a\n", b"id,note\n,a\n"
REASON = "a known gap, see <ticket>"


@pytest.fixture
def site() -> Iterator[Opened]:
    with opened(a_world(contracts=[a_plan()])) as running:
        yield running


def rejected(world: World) -> str:
    drop = world.upload("orders/1.csv", BAD)
    world.finish(one_bad)
    assert world.drop(drop).state == "rejected"
    return drop


def accepted(world: World) -> str:
    drop = world.upload("orders/1.csv", GOOD)
    world.finish()
    assert world.drop(drop).state == "accepted"
    return drop


def form_of(person: Browser, act: str, about: str) -> dict[str, str]:
    """Return the hidden fields of a form, as it is sent with a confirmation."""
    shown = person.ask(f"/app/acts/{act}?{about}")
    assert shown.status == 200
    return dict(FIELDS.findall(shown.text)) | {"confirmed": "yes"}


def send(person: Browser, act: str, form: dict[str, str], **headers: str) -> Shown:
    return person.ask(f"/app/acts/{act}", form, **headers)


def test_rejected_file_is_judged_again(site: Opened) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    form = form_of(person, "replay", f"drop={drop}")
    assert site.world.drop(drop).attempt == 1
    done = send(person, "replay", form)

    assert (done.status, done.leads_to) == (303, f"/app/drops/{drop}?done=replay")
    assert site.world.drop(drop).attempt == 2
    assert "judged again within minutes" in person.ask(done.leads_to).text


def test_form_says_what_a_promoted_file_loses(site: Opened) -> None:
    drop, person = accepted(site.world), site.browser("ann", "operator")
    assert "Consumers keep the file until the new verdict" in person.ask(f"/app/acts/replay?drop={drop}").text
    assert "withdrawn from its consumers" in person.ask(f"/app/acts/reject?drop={drop}").text
    assert send(person, "replay", form_of(person, "replay", f"drop={drop}")).status == 303


def test_person_accepts_with_name_and_reason(site: Opened) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    assert send(person, "accept", form_of(person, "accept", f"drop={drop}") | {"reason": REASON}).status == 303
    override = site.world.drop(drop).override

    assert override is not None
    assert (override.by.split()[0], override.because) == ("ann", REASON)
    assert "see &lt;ticket&gt;" in person.ask(f"/app/drops/{drop}").text


@pytest.mark.parametrize("missing", ["confirmed", "reason", "token", "version"])
def test_form_without_a_part_changes_nothing(site: Opened, missing: str) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    form = form_of(person, "accept", f"drop={drop}") | {"reason": REASON}
    assert send(person, "accept", form | {missing: ""}).status in (403, 422)
    assert site.world.drop(drop).attempt == 1


def test_form_that_is_sent_twice_acts_once(site: Opened) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    form = form_of(person, "replay", f"drop={drop}")
    assert [send(person, "replay", form).status for _ in range(2)] == [303, 303]
    site.world.finish(one_bad)

    assert site.world.drop(drop).attempt == 2
    assert send(person, "replay", form).status == 303
    assert site.world.drop(drop).attempt == 2


def test_form_of_a_file_that_has_changed_is_refused(site: Opened) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    form = form_of(person, "accept", f"drop={drop}") | {"reason": REASON}
    send(person, "replay", form_of(person, "replay", f"drop={drop}"))
    site.world.finish(one_bad)
    shown = send(person, "accept", form)

    assert shown.status == 409
    assert "has changed since you opened the form" in shown.text
    assert site.world.drop(drop).override is None


def test_form_belongs_to_one_session_act_and_file(site: Opened) -> None:
    drop, person, other = rejected(site.world), site.browser("ann", "operator"), site.browser("bob", "operator")
    form = form_of(person, "replay", f"drop={drop}")
    second = site.world.upload("orders/2.csv", BAD)
    site.world.finish(one_bad)

    assert send(other, "replay", form).status == 403
    assert send(person, "reject", form | {"reason": REASON}).status == 403
    assert send(person, "replay", form | {"drop": second}).status == 403
    assert {site.world.drop(each).attempt for each in (drop, second)} == {1}


def test_no_other_site_acts(site: Opened) -> None:
    drop, person = rejected(site.world), site.browser("ann", "operator")
    form = form_of(person, "replay", f"drop={drop}")
    for headers in ({"Origin": "https://evil.example.com"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
        assert send(person, "replay", form, **headers).status == 403
    assert site.world.drop(drop).attempt == 1


@pytest.mark.parametrize("role", ["producer", "consumer", "steward"])
def test_nobody_else_acts(site: Opened, role: str) -> None:
    drop, operator = rejected(site.world), site.browser("ann", "operator")
    form, person = form_of(operator, "replay", f"drop={drop}"), site.browser("shop", role)
    for about in (f"replay?drop={drop}", f"accept?drop={drop}", f"reject?drop={drop}", "pause?of=contract:orders.v1"):
        assert person.ask(f"/app/acts/{about}").status in (403, 404)
    assert send(person, "replay", form).status in (403, 404)
    assert "/app/acts/" not in person.ask(f"/app/drops/{drop}").text
    assert site.world.drop(drop).attempt == 1


def test_impossible_act_has_its_reason_and_no_form(site: Opened) -> None:
    drop, person = accepted(site.world), site.browser("ann", "operator")
    shown = person.ask(f"/app/acts/accept?drop={drop}")
    assert "Not possible now" in shown.text
    assert "stays accepted" in shown.text
    assert '<button type="submit">Accept' not in shown.text


def test_contract_is_paused_and_resumed(site: Opened) -> None:
    person = site.browser("ann", "operator")
    about = "of=contract:orders.v1"
    form = form_of(person, "pause", about) | {"reason": REASON}
    assert site.world.ledger.pauses() == ()
    assert send(person, "pause", form).leads_to == "/app/operations?done=pause"
    (pause,) = site.world.ledger.pauses()
    assert (pause.name, pause.reason) == ("orders.v1", REASON)
    assert "Not possible now" in person.ask(f"/app/acts/pause?{about}").text
    assert re.search(r'href="(/app/acts/resume\?of=contract:orders.v1)"', person.ask("/app/operations").text)

    assert send(person, "resume", form_of(person, "resume", about)).status == 303
    assert site.world.ledger.pauses() == ()
    assert "Not possible now" in person.ask(f"/app/acts/resume?{about}").text


@pytest.mark.parametrize("about", ["", "of=", "of=table:x", "of=contract:", "of=contract:none.v1"])
def test_nothing_without_a_subject_is_paused(site: Opened, about: str) -> None:
    shown = site.browser("ann", "operator").ask(f"/app/acts/pause?{about}")
    assert shown.status == 422 or "Not possible now" in shown.text


def test_queues_and_costs_are_shown_to_whom_they_are_for(site: Opened) -> None:
    accepted(site.world)
    operators, stewards = (site.browser("ann", role).ask("/app/operations").text for role in ("operator", "steward"))

    assert '<th scope="row">object-created</th><td data-label="Waiting" class="figure">2</td>' in operators
    assert "<h2>Messages</h2>" in stewards
    assert re.search(r"drops a day of \d+ bytes cost \$[\d,.]+ a month", operators)
    assert "<h2>Costs</h2>" in operators
    assert "<h2>Costs</h2>" not in stewards


def test_what_makes_no_progress_is_shown_with_its_cause(site: Opened) -> None:
    site.world.upload("orders/9.csv", GOOD)
    site.world.deliver_events()
    person = site.browser("ann", "operator")
    assert "<h2>Stuck</h2>" not in person.ask("/app/operations").text
    site.world.clock.pass_seconds(3600)
    text = person.ask("/app/operations").text

    assert "<h2>Stuck</h2>" in text
    assert "files gather" in text
