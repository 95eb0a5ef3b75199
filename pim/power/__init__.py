"""Power of a run: activity times energy."""
