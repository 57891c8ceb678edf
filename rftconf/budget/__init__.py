"""A run's GPUs and memory are accounted from its plan alone: by `price.price`; `answers` is its inverse."""
