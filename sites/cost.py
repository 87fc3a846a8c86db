"""Price and carbon intensity of node-hours, and what node-hours come to by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, model_validator

from sites.files import Model

_JOULES_PER_KWH = 3.6e6
_Number = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class Cost(Model):
    """Price of a node-hour, and CO2 of its energy."""

    node_hour: _Number | None = Field(None, description="Price of one node for an hour.")
    currency: str | None = Field(None, min_length=1, description="Currency of the price, such as EUR.")
    co2_per_kwh: _Number | None = Field(None, description="Grams of CO2 for each kWh of electricity.")
    node_watts: _Number | None = Field(
        None, description="Power of one node, for node-hours of which the batch system states no energy."
    )
    source: str = Field("", description="Where these numbers come from, and of what date.")

    @model_validator(mode="after")
    def _whole(self) -> Cost:
        if (self.node_hour is None) != (self.currency is None):
            present, absent = (
                ("currency", "node_hour") if self.node_hour is None else ("node_hour", "currency")
            )
            raise ValueError(f"{present} needs {absent} beside it; write both, or neither")
        if self.node_watts is not None and self.co2_per_kwh is None:
            raise ValueError("node_watts is for CO2; write co2_per_kwh beside it, or remove node_watts")
        return self

    @property
    def named_source(self) -> str:
        """The site file as the source of these numbers, with the source that the file names."""
        return f"by the site file ({self.source})" if self.source else "by the site file"


@dataclass(frozen=True, slots=True)
class Held:
    """Node-hours of one pool, and their energy as far as it is measured.

    Parameters
    ----------
    pool
        Name of the pool; empty where the site has none.
    cost
        Its prices; None where the site file states none.
    node_hours
        All its node-hours, those with measured energy included.
    measured_hours, joules
        Node-hours of blocks of which the batch system states the energy, and that energy in J.
    """

    pool: str
    cost: Cost | None
    node_hours: float
    measured_hours: float = 0.0
    joules: float = 0.0

    @property
    def of_pool(self) -> str:
        """Words that name the pool after a noun; empty without pools."""
        return f" of pool {self.pool}" if self.pool else ""

    @property
    def other_hours(self) -> float:
        """Node-hours without measured energy."""
        return max(0.0, self.node_hours - self.measured_hours)

    @property
    def grams(self) -> float | None:
        """Grams of CO2 of all its node-hours; None where the energy of some is not known."""
        cost = self.cost
        if cost is None or cost.co2_per_kwh is None or (self.other_hours and cost.node_watts is None):
            return None
        joules = self.joules + self.other_hours * 3600 * (cost.node_watts or 0.0)
        return joules / _JOULES_PER_KWH * cost.co2_per_kwh


@dataclass(frozen=True, slots=True)
class Bill:
    """Money and CO2 of node-hours of one site or of several pools of it."""

    held: tuple[Held, ...]

    @property
    def currency(self) -> str | None:
        """Currency of all prices; None where the site file has no price."""
        return next((one.cost.currency for one in self.held if one.cost and one.cost.currency), None)

    @property
    def money(self) -> float | None:
        """Price of all node-hours; None where a pool has no price."""
        prices = [None if one.cost is None else one.cost.node_hour for one in self.held]
        if not prices or None in prices:
            return None
        return sum(one.node_hours * (price or 0.0) for one, price in zip(self.held, prices, strict=True))

    @property
    def grams(self) -> float | None:
        """Grams of CO2 of all node-hours; None where the energy of some is not known."""
        grams = [one.grams for one in self.held]
        return sum(one for one in grams if one is not None) if grams and None not in grams else None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        measured = [one for one in self.held if one.measured_hours]
        return {
            "money": self.money,
            "currency": self.currency,
            "co2_grams": self.grams,
            "measured_kwh": sum(one.joules for one in measured) / _JOULES_PER_KWH if measured else None,
            "measured_node_hours": sum(one.measured_hours for one in measured),
            "node_hours": sum(one.node_hours for one in self.held),
            "notes": [*self._prices(), *self._energies()],
        }

    def lines(self, *, at_most: bool = False) -> Iterator[str]:
        """Yield money and CO2 for people, a line each, with sources; why not where a number is not known."""
        bound = "at most " if at_most else ""
        if self.currency is not None:
            total = "not known" if self.money is None else f"{bound}{amount(self.money)} {self.currency}"
            yield f"money: {total}, {'; '.join(self._prices())}"
        if any(one.cost and one.cost.co2_per_kwh is not None for one in self.held):
            total = "not known" if self.grams is None else bound + weight(self.grams)
            yield f"CO2: {total}, {'; '.join(self._energies())}"

    def _prices(self) -> Iterator[str]:
        for one in self.held:
            if one.cost is None or one.cost.node_hour is None:
                yield f"the site file states no cost.node_hour{one.of_pool}"
                continue
            price = f"{one.cost.node_hour:g} {one.cost.currency}"
            yield f"{one.node_hours:,.4g} node-hours{one.of_pool} at {price} {one.cost.named_source}"

    def _energies(self) -> Iterator[str]:
        for one in self.held:
            cost = one.cost
            if cost is None or cost.co2_per_kwh is None:
                yield f"the site file states no cost.co2_per_kwh{one.of_pool}"
                continue
            intensity = f"at {cost.co2_per_kwh:g} g/kWh {cost.named_source}"
            if one.measured_hours:
                measured = f"{one.joules / _JOULES_PER_KWH:,.4g} kWh that the batch system measured"
                yield f"{measured} of {one.measured_hours:,.4g} node-hours{one.of_pool} {intensity}"
            if not one.other_hours:
                continue
            rest = f"{one.other_hours:,.4g} node-hours{one.of_pool}"
            if cost.node_watts is None:
                yield f"no energy of {rest} is measured, and the site file states no cost.node_watts"
            else:
                assumed = f"{one.other_hours * cost.node_watts / 1000:,.4g} kWh of {rest}"
                yield f"{assumed} at {cost.node_watts:g} W a node by the site file, not measured, {intensity}"


def bill_of(held: Iterable[Held]) -> Bill | None:
    """Return what node-hours come to; None where the site file has neither price nor carbon intensity."""
    found = Bill(tuple(held))
    return found if any(one.cost is not None for one in found.held) else None


def amount(money: float) -> str:
    """Return an amount of money as text: whole from 1,000 on, else with four digits."""
    return f"{money:,.0f}" if money >= 1000 else f"{money:.4g}"


def weight(grams: float) -> str:
    """Return grams as short text with a unit."""
    for size, unit in ((1e6, "t"), (1e3, "kg")):
        if grams >= size:
            return f"{grams / size:,.4g} {unit}"
    return f"{grams:.4g} g"
