"""What series and measures are called in pictures, in the report and in claims."""

LABELS = {
    "exact": "Unquantized SE",
    "icq": "ICQ-SE",
    "icq-b1": "ICQ-SE, B = 1",
    "icq-b2": "ICQ-SE, B = 2",
    "icq-b3": "ICQ-SE, B = 3",
    "quban-eps0.5": "QuBan, ε = 0.5",
    "quban-eps2": "QuBan, ε = 2",
    "fed-sel": "Fed-SEL, width 2·U′",
    "fed-sel-sound": "Fed-SEL, width 1.5·U′",
    "exact-as-published": "Unquantized SE, σ = 0.125",
    "icq-b3-as-published": "ICQ-SE, B = 3, σ = 0.125",
    "icq-b3-lucb": "ICQ-LUCB, B = 3",
    "icq-b3-lil-ucb": "ICQ-lil'UCB, B = 3",
    "icq-b3-pairwise": "ICQ-SE, B = 3, pairs",
    "dicq-pairwise": "D-ICQ, pairs",
    "dicq-mixture": "D-ICQ, pairs at any time",
    "challenge": "challenge (all gains)",
    "challenge-closely": "challenge, fine steps, small leaps",
    "lucb": "exact means, LUCB, σ = ½",
}
NOUNS = {"rounds": "rounds", "samples": "samples", "payload_bits": "bits"}


def label_of(series: str) -> str:
    """A series in words; one that has none is called by its name."""
    return LABELS.get(series, series)
