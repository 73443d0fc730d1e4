"""Who may do what: a caller and an operation in, the part of all drops and contracts that it reaches out. Pure.

`PERMITS` is the one table; a test walks each of its cells, and each cell that it does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from functions.api.identity.callers import Caller, Role

Operation = Literal[
    "list_contracts",
    "read_contract",
    "list_versions",
    "read_version",
    "compare_versions",
    "export_contract",
    "read_contract_page",
    "publish_contract",
    "register_data_contract",
    "list_drops",
    "read_drop",
    "read_receipt",
    "read_receipt_page",
    "read_rejected_rows",
    "create_link",
    "revoke_links",
    "lint",
    "list_missing",
    "list_slos",
    "list_pauses",
    "list_drop_notices",
    "list_contract_notices",
    "read_health",
    "read_costs",
    "create_upload",
    "read_data_contract",
    "create_workload",
    "notify_workload",
    "read_workload",
    "start_validation",
    "read_validation",
    "check_input_port",
    "check_output_port",
    "replay_drop",
    "accept_drop",
    "reject_drop",
    "create_pause",
    "delete_pause",
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Scope = Literal["own", "promoted", "all"]
"""The part of drops and contracts that a role reaches: its producer's own, what consumers have, or all."""

PERMITS: Mapping[Operation, Mapping[Role, Scope]] = {
    "list_contracts": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "read_contract": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "list_versions": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "read_version": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "compare_versions": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "export_contract": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "read_contract_page": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "publish_contract": {"steward": "all"},
    "register_data_contract": {"steward": "all"},
    "list_drops": {"producer": "own", "consumer": "promoted", "steward": "all", "operator": "all"},
    "read_drop": {"producer": "own", "consumer": "promoted", "steward": "all", "operator": "all"},
    "read_receipt": {"producer": "own", "steward": "all", "operator": "all"},
    "read_receipt_page": {"producer": "own", "steward": "all", "operator": "all"},
    "read_rejected_rows": {"producer": "own", "steward": "all", "operator": "all"},
    "create_link": {"producer": "own", "steward": "all", "operator": "all"},
    "revoke_links": {"producer": "own", "operator": "all"},
    "list_missing": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "list_slos": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "lint": {"producer": "own", "steward": "all", "operator": "all"},
    "list_pauses": {"steward": "all", "operator": "all"},
    "list_drop_notices": {"steward": "all", "operator": "all"},
    "list_contract_notices": {"steward": "all", "operator": "all"},
    "read_health": {"steward": "all", "operator": "all"},
    "read_costs": {"operator": "all"},
    "create_upload": {"producer": "own"},
    "read_data_contract": {"producer": "own", "consumer": "all", "steward": "all", "operator": "all"},
    "create_workload": {"producer": "own"},
    "notify_workload": {"producer": "own"},
    "read_workload": {"producer": "own", "steward": "all", "operator": "all"},
    "start_validation": {"producer": "own"},
    "read_validation": {"producer": "own", "steward": "all", "operator": "all"},
    "check_input_port": {"consumer": "all", "steward": "all", "operator": "all"},
    "check_output_port": {"consumer": "all", "steward": "all", "operator": "all"},
    "replay_drop": {"operator": "all"},
    "accept_drop": {"operator": "all"},
    "reject_drop": {"operator": "all"},
    "create_pause": {"operator": "all"},
    "delete_pause": {"operator": "all"},
}


@dataclass(frozen=True, slots=True)
class Reach:
    """The part that a caller reaches by an operation, over all of its roles."""

    everything: bool = False
    promoted: bool = False
    producers: frozenset[str] = frozenset()

    def covers(self, producer: str | None, *, promoted: bool = False) -> bool:
        """Return True if something of a producer (None: of nobody) is within reach; `promoted`: consumers have it."""
        return self.everything or (self.promoted and promoted) or producer in self.producers


def reach(caller: Caller, operation: Operation) -> Reach | None:
    """Return what a caller reaches by an operation; None if none of its roles has the operation."""
    scopes = {scope for role, scope in PERMITS[operation].items() if role in caller.roles}
    if not scopes:
        return None
    own = caller.producers if "own" in scopes else frozenset[str]()
    return Reach("all" in scopes, "promoted" in scopes, own)
