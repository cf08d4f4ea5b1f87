"""Every quantizer, by name. A new one is a file here and a line in this list."""

from bitarm.core.quantizer import Quantizer
from bitarm.core.quantizers.dicq import Dicq
from bitarm.core.quantizers.dicq_budget import BudgetedDicq
from bitarm.core.quantizers.exact import Exact
from bitarm.core.quantizers.fed_sel import FedSel
from bitarm.core.quantizers.fed_sel_paper import FedSelPaper
from bitarm.core.quantizers.icq import Icq
from bitarm.core.quantizers.quban import QuBan

QUANTIZERS: dict[str, type[Quantizer]] = {
    quantizer.name: quantizer
    for quantizer in (Exact, Icq, QuBan, FedSel, FedSelPaper, Dicq, BudgetedDicq)
}

CHOICES: dict[str, type[Quantizer]] = {
    name: quantizer for name, quantizer in QUANTIZERS.items() if quantizer is not BudgetedDicq
}
"""Those that can be asked for by name; the other is what `dicq` becomes under a bit budget."""

__all__ = [
    "CHOICES",
    "QUANTIZERS",
    "BudgetedDicq",
    "Dicq",
    "Exact",
    "FedSel",
    "FedSelPaper",
    "Icq",
    "QuBan",
    "Quantizer",
]
