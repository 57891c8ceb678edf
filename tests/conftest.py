"""What holds for every test: nothing is timed here, so an example may take as long as a busy machine makes it take."""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
# A session keeps catalogues and conversions until it ends: looking through them less often saves a twentieth of its time.
gc.set_threshold(50_000, 20, 100)
