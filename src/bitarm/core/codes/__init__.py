"""How a mean becomes bits: the five codes that a question may ask for, by name.

A new one is a file here, its class in `Code` and in `CODES`, and its form in a frame
(`wire/frames/questions.py`). Agents in other languages must learn it, too.

A code is a value: it holds every number that an answer depends on, so that who answers needs to
know nothing else of the run. Laws, for every code and every mean that it takes:

1. `read(write(mean))` is the told mean, computed with the operations that the code's file spells
   out, in their order: who asks and who answers may be programs in different languages.
2. The words of one code are prefix-free; `read` refuses what `write` cannot produce as the peer's
   fault.
3. A code whose numbers make no sense is refused when it is made (`LocalProtocolError`), so that
   `write` cannot fail for another reason than a mean that it does not reach (`RewardError`).
"""

from bitarm.core.codes.above import Above
from bitarm.core.codes.bins import Bins
from bitarm.core.codes.levels import Levels
from bitarm.core.codes.nearest import Nearest
from bitarm.core.codes.raw import Raw

Code = Bins | Nearest | Levels | Raw | Above

CODES: dict[str, type[Code]] = {code.name: code for code in (Bins, Nearest, Levels, Raw, Above)}

__all__ = ["CODES", "Above", "Bins", "Code", "Levels", "Nearest", "Raw"]
