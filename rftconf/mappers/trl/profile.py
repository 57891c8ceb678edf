"""What the rest of rftconf has to know of TRL's keys beside its table."""

from __future__ import annotations

from rftconf.mappers.profiles import Profile

PROFILE = Profile(tables={("trl", ""): ("table", "TRL")})
