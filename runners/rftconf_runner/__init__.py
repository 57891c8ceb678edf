"""Executes a resolved plan: vLLM generates, PyTorch FSDP2 trains, Ray places. Reads the plan, never a framework's config."""
