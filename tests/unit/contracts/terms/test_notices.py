"""Routes: who hears of a contract's events, and of an upload that no contract claims."""

from __future__ import annotations

from contracts import codec
from contracts.terms.notices import DEFAULTS, OCCASIONS, Audience, Channel, Contact, ContractRoutes, Route, Routes

MAIL, PAGER, TEAM = Channel("email", "data@example.org"), Channel("pagerduty", "oncall"), Channel("slack", "orders")


def a_route(audience: Audience, channel: Channel) -> Route:
    return Route(audience, channel, DEFAULTS[audience])


ORDERS = ContractRoutes("orders.v1", "shop", (a_route("producer", MAIL), a_route("consumer", TEAM)))
ITEMS = ContractRoutes("items.v2", "shop", (a_route("producer", MAIL),), Contact("Data", "mailto:data@example.org"))
ROUTES = Routes((ITEMS, ORDERS), (a_route("operator", PAGER),))


def test_every_occasion_of_a_default_is_an_occasion() -> None:
    assert {occasion for several in DEFAULTS.values() for occasion in several} <= set(OCCASIONS)


def test_people_hear_of_what_their_routes_name() -> None:
    assert ROUTES.hearing("orders.v1", "rejected") == (a_route("producer", MAIL),)
    assert ROUTES.hearing("orders.v1", "missing") == (a_route("producer", MAIL), a_route("consumer", TEAM))
    assert ROUTES.hearing("orders.v1", "accepted") == ()


def test_operators_hear_of_every_contract() -> None:
    assert ROUTES.hearing("orders.v1", "failed") == ROUTES.operators
    assert ROUTES.hearing("gone.v1", "failed") == ROUTES.operators
    assert ROUTES.hearing(None, "unmatched") == ROUTES.operators


def test_producer_hears_once_of_an_unmatched_upload() -> None:
    assert ROUTES.of_producer("shop") == (a_route("producer", MAIL),)
    assert ROUTES.hearing_of_unmatched("shop") == (a_route("producer", MAIL),)


def test_operators_hear_of_unmatched_uploads_of_nobody() -> None:
    assert ROUTES.hearing_of_unmatched(None) == ROUTES.operators
    assert ROUTES.hearing_of_unmatched("bakery") == ROUTES.operators


def test_contact_is_that_of_any_contract_of_the_producer() -> None:
    assert ROUTES.contact_of("shop") == ITEMS.contact
    assert ROUTES.contact_of("bakery") is None


def test_routes_survive_the_codec() -> None:
    assert codec.loads(Routes, codec.canonical(ROUTES), "routes") == ROUTES
