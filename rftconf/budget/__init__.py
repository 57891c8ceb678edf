"""What a run needs in GPUs and memory, from its plan alone. See `price.price` for the account, `answers` for its inverse."""
