"""Images of rows: what veRL's reader makes of a column, and what is refused by name."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import Any

import pytest
from rftconf_runner.data_reader import images_of
from rftconf_runner.images import Picture, pictures_of, sized, with_parts
from rftconf_runner.job_data import ImageColumn
from rftconf_runner.refusals import refusals

from rftconf.plan.provenance import Source
from tests.runner.test_job import plan

COLUMN = ImageColumn("images", resizes=True, patch=14)

NEEDS_PIL = pytest.mark.skipif(find_spec("PIL") is None, reason="needs the runner's environment (make runner-env)")


def png(mode: str, color: Any) -> bytes:
    from PIL import Image

    file = BytesIO()
    Image.new(mode, (30, 50), color).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("release", "resizes", "patch"),
    [("0.4.1", False, 14), ("0.6.1", False, 14), ("0.7.0", True, 14), ("0.8.0", True, 14), ("0.9.1", True, 0)],
)
def test_each_release_reads_as_it_does(release: str, resizes: bool, patch: int) -> None:
    assert images_of("images", Source(framework="verl", release=release)) == ImageColumn("images", resizes, patch)


def test_only_verls_reader_is_read() -> None:
    assert images_of("images", Source(framework="roll", release="0.3.0")) is None
    assert images_of(None, Source(framework="verl", release="0.9.1")) is None


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((30, 50), (56, 84)),
        ((640, 480), (644, 476)),
        ((10, 10), (56, 56)),
        ((8000, 8000), (3584, 3584)),
        ((14, 41), (56, 112)),
    ],
)
def test_sizes_are_those_of_qwen_vl_utils(size: tuple[int, int], expected: tuple[int, int]) -> None:
    assert sized(*size, 28) == expected


def test_a_strip_is_no_image() -> None:
    with pytest.raises(ValueError, match="one side may be 200 times the other"):
        sized(1, 201, 28)


@NEEDS_PIL
def test_what_the_data_set_decodes_keeps_its_size_where_verl_keeps_it() -> None:
    cell = [{"bytes": png("RGBA", (255, 0, 0, 0)), "path": None}]
    (unsized,) = pictures_of(cell, ImageColumn("images", resizes=False, patch=14), 14, decoded=True)
    (sized_,) = pictures_of(cell, COLUMN, 14, decoded=True)
    (plain,) = pictures_of(cell, COLUMN, 14, decoded=False)
    assert (unsized.opened().size, sized_.opened().size) == ((30, 50), (56, 84))
    assert unsized.opened().getpixel((0, 0)) == (255, 0, 0)
    assert plain.opened().getpixel((0, 0)) == (255, 255, 255)  # what is transparent lies on white there


@NEEDS_PIL
def test_the_models_own_patches() -> None:
    (picture,) = pictures_of([{"bytes": png("RGB", 0)}], ImageColumn("images", resizes=True, patch=0), 16, decoded=True)
    assert picture == Picture(png("RGB", 0), 16)
    assert picture.opened().size == (64, 96)


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ({"bytes": b""}, "is no list of images"),
        ([{"image": "file:///a.png"}], "has an image of image; the runner reads images whose bytes are in the row"),
        ([{"bytes": b"", "min_pixels": 4}], "has an image of bytes, min_pixels"),
        (["a.png"], "has an image of str"),
    ],
)
def test_images_that_lie_elsewhere_are_named(cell: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        pictures_of(cell, COLUMN, 14, decoded=False)


def test_a_row_without_images() -> None:
    assert pictures_of(None, COLUMN, 14, decoded=True) == ()
    assert pictures_of([], COLUMN, 14, decoded=False) == ()


def test_messages_are_cut_at_their_images() -> None:
    messages = with_parts([{"role": "system", "content": "s"}, {"role": "user", "content": "<image>a<image>"}], 2)
    assert messages[0]["content"] == [{"type": "text", "text": "s"}]
    assert messages[1] == {
        "role": "user",
        "content": [{"type": "image"}, {"type": "text", "text": "a"}, {"type": "image"}],
    }
    with pytest.raises(ValueError, match="has 1 images, and its messages have <image> 2 times"):
        with_parts([{"content": "<image><image>"}], 1)


def refused(framework: str = "verl", **changes: Any) -> dict[str, str]:
    conversion = plan()
    conversion.source.framework = framework
    stage = conversion.stages[0]
    stage.data.train[0].keys.image = "images"
    for path, value in changes.items():
        *parents, last = path.split("__")
        node: Any = stage
        for name in parents:
            node = getattr(node, name)
        object.__setattr__(node, last, value)
    return {item.path: item.why for item in refusals(conversion)}


def test_what_reads_text_alone_is_refused_with_images() -> None:
    assert refused() == {}
    assert "ranks share no sequence that has images" in refused(placement__actor__sp=2)["stage.placement.actor.sp"]
    cut = refused(sync__in_flight="interrupt", sync__run_ahead_rollouts=1)
    assert "no answer to images that was cut" in cut["stage.sync.in_flight"]
    assert "as veRL does, and as no other" in refused("roll")["stage.data.train[].keys.image"]
    with_critic = refused(algorithm__critic__enabled=True)["stage.algorithm.critic.enabled"]
    assert "critic reads text alone" in with_critic or "is True" in with_critic
