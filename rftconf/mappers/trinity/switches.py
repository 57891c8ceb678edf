"""Blocks of Trinity that one key switches on: while it is off, nothing below acts."""

from __future__ import annotations

from rftconf.mappers.precedence import Block
from rftconf.mappers.shapes import together

SWITCHES = (
    Block("explorer.over_rollout", "ratio", off="0"),
    Block("explorer.dynamic_timeout"),
    Block("buffer.trainer_input.experience_buffer.replay_buffer"),
    Block("model.tinker"),
    Block("model.external_model"),
    # it switches only the port: a running service needs the address
    Block("service.data_juicer", "auto_start", only=("port",)),
)
SWITCHED_OFF = together(*SWITCHES, why="explorer, buffer, ModelConfigValidator: each block is read behind its switch")
