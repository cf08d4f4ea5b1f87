"""What can go wrong, and whose fault it is.

    BitarmError
    ├── ConfigError              the caller's settings cannot be run
    │   └── MissingExtraError    a command needs a package that is not installed
    ├── RewardError              a reward, or the source it comes from
    │   ├── RefusedRewardError   a reward that came, and that cannot be used
    │   └── NoMoreRewardsError   recorded rewards that have ended
    ├── FrameError               bytes that are not a frame
    │   ├── TruncatedFrameError  they end too early
    │   ├── CorruptFrameError    they are all there and wrong
    │   └── UnknownVersionError  they are whole and of another version
    ├── ProtocolError            a message that does not fit the machine's state
    │   ├── LocalProtocolError   this program misused its own machine
    │   └── PeerProtocolError    the other end sent what it must not send
    ├── StoreError               the journal: corrupt, locked, read-only, too new
    └── TransportError           the channel between learner and agent

Every message says what was expected and what was found. An error leaves the object that
raised it as it was before the call. A limit that is reached is not an error: it is an outcome.
"""


class BitarmError(Exception):
    """Root of everything that this package raises on purpose."""


class ConfigError(BitarmError, ValueError):
    """The settings are wrong: the caller can mend them and try again."""


class MissingExtraError(ConfigError):
    """A feature needs an optional package; the message names what to install."""


class RewardError(BitarmError):
    """A reward, or the source that should have given it, is unusable."""


class RefusedRewardError(RewardError):
    """A reward came and cannot be used: outside the bounds, or no finite number.

    Whoever goes on without it selects among rewards, and must say so.
    """


class NoMoreRewardsError(RewardError):
    """Recorded rewards have ended: who drives a run ends it, with what is known by then."""


class FrameError(BitarmError):
    """Bytes that cannot be read as a frame."""


class TruncatedFrameError(FrameError):
    """The bytes are the beginning of a frame and end too early."""


class CorruptFrameError(FrameError):
    """The bytes are no frame: a check failed or a field is impossible."""


class UnknownVersionError(FrameError):
    """A whole frame, written by another version of the format."""


class ProtocolError(BitarmError):
    """A message that does not fit the state of the machine that got it."""


class LocalProtocolError(ProtocolError):
    """The program called its own machine out of turn."""


class PeerProtocolError(ProtocolError):
    """The other end sent something that it must not send."""


class StoreError(BitarmError):
    """The journal cannot be read or written."""


class TransportError(BitarmError):
    """The channel between learner and agent failed."""
