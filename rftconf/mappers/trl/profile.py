"""Facts about TRL's keys that the table does not hold."""

from __future__ import annotations

from rftconf.mappers.profiles import Profile

PROFILE = Profile(tables={("trl", ""): ("table", "TRL")})
