"""Two plans side by side: what differs, and what that does to training."""
