"""NeMo-RL's tables: what the keys of its GRPO runs mean in the plan, and back."""
