"""This module makes what a model that sees is given beside tokens: pixels of its prompts' images, their places, and positions in three axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from rftconf_runner.images import Picture
from rftconf_runner.job import Job
from rftconf_runner.lessons import Sample
from rftconf_runner.sequences import Table

CACHED = 64
"""Prompts whose pixels a process keeps: the answers to a prompt are read one after the other."""


class Vision:
    """A model's image processor, and the token that stands for a part of an image."""

    def __init__(self, files: str, config: Any) -> None:
        from transformers import AutoImageProcessor

        self.processor: Any = AutoImageProcessor.from_pretrained(files)
        self.token: int = config.image_token_id
        self.merged: int = self.processor.merge_size**2
        self.patch: int = self.processor.patch_size
        self.places: Tensor | None = None
        self.pixels = lru_cache(CACHED)(self._pixels)

    def _pixels(self, pictures: tuple[Picture, ...]) -> tuple[Tensor, Tensor]:
        """Return patches [patches, numbers of a patch] and how many there are of each image [images, 3], as the processor has them."""
        inputs = self.processor(images=[picture.opened() for picture in pictures], return_tensors="pt")
        return inputs["pixel_values"], inputs["image_grid_thw"]

    def expanded(self, tokens: Sequence[int], pictures: tuple[Picture, ...]) -> tuple[int, ...]:
        """Return a prompt with as many tokens for each image as the model has for it. Raises ValueError where the chat template
        gives images other places than one each."""
        if tokens.count(self.token) != len(pictures):
            raise ValueError(f"{len(pictures)} images, and the chat template has places for {tokens.count(self.token)}")
        counts = iter((self.pixels(pictures)[1].prod(-1) // self.merged).tolist())
        return tuple(copy for token in tokens for copy in [token] * (next(counts) if token == self.token else 1))

    def ready(self, model: Any) -> Any:
        """Have a model put images where its prompts have them, whatever tokens an answer draws."""
        model.model.get_placeholder_mask = self._placed
        return model

    def freeze(self, model: Any) -> None:
        """Keep the weights that images go through as they are (veRL, `freeze_vision_tower`)."""
        model.model.visual.requires_grad_(False)

    def with_images(self, model: Any, samples: Sequence[Sample], rows: Table) -> Table:
        """Add to tokens in rows what the model sees. Where no sequence has an image it computes a blank one, which goes nowhere:
        every rank has gradients of the same weights."""
        positions = torch.zeros(3, *rows.ids.shape, dtype=torch.long)
        self.places = torch.zeros(rows.ids.shape, dtype=torch.bool)
        pixels, grids, start = list[Tensor](), list[Tensor](), 0
        for index, sample in enumerate(samples):
            row, begin = (0, start) if rows.lengths else (index, 0)
            own, start = slice(begin, begin + len(sample)), start + len(sample)
            marks = torch.zeros(len(sample), dtype=torch.bool)
            if sample.pictures:
                marks[: len(sample.prompt)] = torch.tensor([*sample.prompt]) == self.token
                pixels.append(self.pixels(sample.pictures)[0])
                grids.append(self.pixels(sample.pictures)[1])
            positions[:, row, own] = _positions(model, sample, marks, grids[-1] if sample.pictures else None)
            self.places[row, own] = marks
        if not pixels:
            blank = torch.tensor([[1, self.processor.merge_size, self.processor.merge_size]])
            pixels, grids = [torch.zeros(self.merged, self._width())], [blank]
        more = {"position_ids": positions, "pixel_values": torch.cat(pixels), "image_grid_thw": torch.cat(grids)}
        return replace(rows, of_images=more)

    def save(self, folder: str) -> None:
        """Write the processor's config beside a checkpoint's weights."""
        self.processor.save_pretrained(folder)

    def _width(self) -> int:
        return int(3 * self.processor.temporal_patch_size * self.patch**2)

    def _placed(self, _: Any, inputs_embeds: Tensor, **__: Any) -> tuple[Tensor, Tensor]:
        """Return the places of images and of videos, as transformers' models ask for them, [rows, tokens, 1]."""
        assert self.places is not None
        images = self.places.unsqueeze(-1).to(inputs_embeds.device)
        return images, torch.zeros_like(images)


def _positions(model: Any, sample: Sample, marks: Tensor, grids: Tensor | None) -> Tensor:
    """Return a sequence's positions in time, height and width [3, tokens], as the model counts them."""
    if grids is None:
        return torch.arange(len(sample)).expand(3, -1)
    ids = torch.tensor([[*sample.prompt, *sample.answer]])
    positions, _ = model.model.get_rope_index(ids, marks[None].int(), image_grid_thw=grids)
    return positions[:, 0]


def vision_of(job: Job) -> Vision | None:
    """Return what a model that sees needs; None for one of text alone."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(job.model)
    return Vision(job.tokenizer, config) if getattr(config, "vision_config", None) else None
