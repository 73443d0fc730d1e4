"""What consumers get of a file with bad rows, through the whole flow: its valid rows, or nothing."""

from __future__ import annotations

from tests.e2e.conftest import World


def test_rows_are_promoted_without_the_rejected(world: World) -> None:
    some = world.upload("sifted/some.csv", b"id,name\n1,Ana\nx,Bo\n3,\n")
    none = world.upload("sifted/none.csv", b"id,name\n1,Ana\n")
    many = world.upload("sifted/many.csv", b"id,name\nx,Ana\ny,Bo\n3,\n")
    ended = {name: world.settled(drop).state for name, drop in (("some", some), ("none", none), ("many", many))}

    assert ended == {"some": "accepted_with_warnings", "none": "accepted", "many": "rejected"}
    promoted = {name: body for name, body in world.objects("promoted").items() if name.startswith("sifted.v1/")}
    assert promoted == {
        "sifted.v1/sifted/some.csv": b"id,name\n1,Ana\n3,\n",
        "sifted.v1/sifted/none.csv": b"id,name\n1,Ana\n",
    }
