"""A quantizer's question, answered and read: both directions of one message, for the tests."""

from dataclasses import replace

from bitarm.core.bits import Symbol
from bitarm.core.quantizer import Estimate, Occasion, Quantizer


def encode(
    quantizer: Quantizer, mu_hat: float, held: Estimate, step: Occasion, dither: float = 0.0
) -> Symbol:
    """What an agent with the mean `mu_hat` answers to the question of this step."""
    return quantizer.question(held, step, dither).answer(mu_hat)


def decode(
    quantizer: Quantizer, symbol: Symbol, held: Estimate, step: Occasion, dither: float = 0.0
) -> Estimate:
    """What the learner holds after this answer, which it reads without the hint."""
    question = quantizer.question(held, step, dither)
    return quantizer.read(symbol, question, held, replace(step, hint=None))
