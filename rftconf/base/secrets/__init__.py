"""Credentials: recognised by name, by form and by randomness, and masked in everything that leaves this process."""

from rftconf.base.secrets.config_secrets import NO_SECRETS, Secrets, secrets_of
from rftconf.base.secrets.detection import is_secret, secret_spans
from rftconf.base.secrets.gate import forget, masked, remember
from rftconf.base.secrets.names import is_credential

__all__ = [
    "NO_SECRETS",
    "Secrets",
    "forget",
    "is_credential",
    "is_secret",
    "masked",
    "remember",
    "secret_spans",
    "secrets_of",
]
