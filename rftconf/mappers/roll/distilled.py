"""The two models of a distillation run: the student that is trained, and the teacher that it follows."""

from __future__ import annotations

from typing import Any

from rftconf.mappers.context import ReadContext

OWN = tuple(f"{role}.model_args.model_name_or_path" for role in ("student", "teacher"))
TEACHER_PATH = OWN[1]


def weights_of(r: ReadContext, role: str) -> tuple[Any, str]:
    """The weights of student or teacher, and their key: their own where both name some, else those at the top."""
    own = [r.native(path) for path in OWN]
    index = ("student", "teacher").index(role)
    if None not in own:
        return own[index], OWN[index]
    r.inactive.update(
        dict.fromkeys(OWN, "student_pretrain and teacher_pretrain are written over it unless both roles name a model")
    )
    return r.native(f"{role}_pretrain"), f"{role}_pretrain"
