"""Client of the JSON API of `orchestrator serve`; it needs the standard library alone.

    from orchestrator.client import Client

    served = Client("http://localhost:8600", token="…")
    for instance in served.instances("friday", state="exhausted"):
        print(instance["benchmark"], instance["failure_reason"])

Results are dictionaries with the types of `orchestrator.outputs`.
"""

from orchestrator.client.client import ApiError, Client

__all__ = ["ApiError", "Client"]
