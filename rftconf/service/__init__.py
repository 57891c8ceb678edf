"""This room answers in processes of its own, on the loopback interface: the studio and the tools for agents share it."""
