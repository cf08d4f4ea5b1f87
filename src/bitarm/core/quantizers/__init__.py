"""Every quantizer, by name. A new one is a file here and a line in this list."""

from collections import ChainMap
from collections.abc import Mapping

from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers.dicq import Dicq
from bitarm.core.quantizers.dicq_budget import BudgetedDicq
from bitarm.core.quantizers.dyadic import Dyadic
from bitarm.core.quantizers.exact import Exact
from bitarm.core.quantizers.fed_sel import FedSel
from bitarm.core.quantizers.fed_sel_paper import FedSelPaper
from bitarm.core.quantizers.icq import Icq
from bitarm.core.quantizers.quban import QuBan
from bitarm.core.registry import Registry

CHOICES: Registry[Quantizer] = Registry(
    "quantizer",
    Quantizer,  # type: ignore[type-abstract]
    (Exact, Icq, QuBan, FedSel, FedSelPaper, Dicq, Dyadic),
)
"""The quantizers that a user can ask for by name."""

QUANTIZERS: Mapping[str, type[Quantizer]] = ChainMap(
    CHOICES,  # type: ignore[arg-type]  # it is only read
    {BudgetedDicq.name: BudgetedDicq},
)
"""All that a journal can name: the choices, and what `dicq` becomes under a bit budget."""

__all__ = [
    "CHOICES",
    "QUANTIZERS",
    "BudgetedDicq",
    "Dicq",
    "Dyadic",
    "Exact",
    "FedSel",
    "FedSelPaper",
    "Icq",
    "QuBan",
    "Quantizer",
]
