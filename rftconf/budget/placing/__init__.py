"""A plan's placement anew, for a back end that has other trainers and engines, and for the GPUs that are there."""
