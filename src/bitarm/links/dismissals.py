"""Who is told that it is out of the race: what `identify` and `plan` count for a link.

An arm that gave up knows that it is out. A LoRaWAN device hears only after it has spoken, so one
that gave up says so a few times and rests (docs/lorawan.md): it is not dismissed. Over other links
agents are programs that wait for their dismissal, and every arm has one.
"""

from bitarm.links.profiles import Link


def spares_who_gave_up(link: Link) -> bool:
    """Whether arms that gave up are not dismissed: on LoRaWAN, the links with a data rate."""
    return link.up.rate is not None


def expected_dismissals(link: Link | None, *, arms: int, is_judged: bool) -> int:
    """Dismissals of a run that ends with an answer.

    Where arms judge themselves, all but the best have given up by then.
    """
    is_spared = link is not None and is_judged and spares_who_gave_up(link)
    return 1 if is_spared else arms
