"""Cases that Hypothesis draws: however long one takes, it may."""

from hypothesis import settings

settings.register_profile("sketches", deadline=None)
settings.load_profile("sketches")
