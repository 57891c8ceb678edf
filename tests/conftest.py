"""What holds for every test: nothing is timed here, so an example may take as long as a busy machine makes it take."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
