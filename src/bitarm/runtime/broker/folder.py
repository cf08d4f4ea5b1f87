"""Where a broker keeps its files, and how they are written: whole, and for their owner alone.

ca.crt          the authority's certificate: every agent and the learner get a copy
ca.key          signs the server's certificate; needed again only to renew it
server.pem      the server's certificate and its key, in one file: both change at once
passwords/NAME  one password a file: each goes to the machine of that name and no other
accounts        the same passwords, hashed, for Mosquitto
access          who may read and write which topics: rules for all, and what was granted
grants          what single accounts may read and write beside that, sensors' topics for example
broker.toml     where it listens
mosquitto.conf  written at every start; lines of your own go into conf.d/*.conf
data/           what Mosquitto keeps over a restart
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import final

from bitarm.errors import ConfigError

_FOLDER_MODE = 0o700
_PRIVATE_MODE = 0o600
_PUBLIC_MODE = 0o644


@final
@dataclass(frozen=True, slots=True)
class BrokerFolder:
    """The files of one broker, by name."""

    path: Path

    @property
    def ca_certificate(self) -> Path:
        """Public: what clients check the server against."""
        return self.path / "ca.crt"

    @property
    def ca_key(self) -> Path:
        """The authority's private key."""
        return self.path / "ca.key"

    @property
    def server(self) -> Path:
        """What the server shows, and its private key.

        One file: of two, a broker that reads them between two writes has a key that does not
        belong to its certificate, and nobody gets in.
        """
        return self.path / "server.pem"

    @property
    def accounts(self) -> Path:
        """Names and hashed passwords."""
        return self.path / "accounts"

    @property
    def access(self) -> Path:
        """Mosquitto's access control list."""
        return self.path / "access"

    @property
    def grants(self) -> Path:
        """What single accounts may do beside the rules for all."""
        return self.path / "grants"

    @property
    def settings(self) -> Path:
        """Where the broker listens."""
        return self.path / "broker.toml"

    @property
    def configuration(self) -> Path:
        """What Mosquitto is started with."""
        return self.path / "mosquitto.conf"

    @property
    def own_lines(self) -> Path:
        """The user's own additions to the configuration."""
        return self.path / "conf.d"

    @property
    def data(self) -> Path:
        """Sessions and retained messages."""
        return self.path / "data"

    @property
    def passwords(self) -> Path:
        """One file for each name."""
        return self.path / "passwords"

    def password(self, name: str) -> Path:
        """The file with the password of one name, for its machine alone."""
        return self.passwords / name

    def read_password(self, name: str) -> str:
        """The password of one name; ConfigError if its file cannot be read."""
        return read_text(self.password(name)).strip()

    def create(self) -> None:
        """Make the folders that are missing; nobody but the owner may look into them."""
        try:
            for folder in (self.path, self.passwords, self.data, self.own_lines):
                folder.mkdir(mode=_FOLDER_MODE, parents=folder is self.path, exist_ok=True)
                folder.chmod(_FOLDER_MODE)
        except OSError as error:
            raise ConfigError(f"the broker's folder cannot be made: {error}") from None

    def require(self) -> None:
        """Refuse a folder in which no broker was set up."""
        try:
            self.settings.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise ConfigError(
                f"{self.path} holds no broker: make one with "
                f"bitarm broker init {self.path} --agents NAME,NAME"
            ) from None
        except OSError as error:
            raise ConfigError(f"the broker's folder cannot be used: {error}") from None


def write_private(path: Path, content: str | bytes) -> None:
    """Replace a file by one that only its owner may read: never half-written, never readable."""
    _write(path, content, _PRIVATE_MODE)


def write_public(path: Path, content: str | bytes) -> None:
    """Replace a file that holds no secret, never half-written; everybody may read it."""
    _write(path, content, _PUBLIC_MODE)


def _write(path: Path, content: str | bytes, mode: int) -> None:
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # 0600 from birth
        try:
            with os.fdopen(handle, "wb") as file:
                _give_to_owner(file.fileno(), path.parent)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, mode)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error}") from None


def _give_to_owner(handle: int, folder: Path) -> None:
    """A file that root writes belongs to the folder's owner, as whom Mosquitto will read it."""
    owner = folder.stat()
    if os.geteuid() == 0:
        os.fchown(handle, owner.st_uid, owner.st_gid)


def read(path: Path) -> bytes:
    """The content of a file of the folder; ConfigError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None


def read_text(path: Path) -> str:
    """The text of a file of the folder; ConfigError if it cannot be read, or is no text."""
    try:
        return read(path).decode()
    except UnicodeDecodeError:
        raise ConfigError(f"{path} cannot be read: it is no text in UTF-8, save it so") from None
