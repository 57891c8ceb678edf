"""Accelerators and the memory that programs really get: the total that the driver gives PyTorch, not the label.

`usable_gib` is `torch.cuda.get_device_properties().total_memory`: what out-of-memory messages call total capacity, and
what an engine's memory fraction is a share of.
"""

from __future__ import annotations

import re

from rftconf.base.errors import UsageError
from rftconf.base.record import record

GIB = 1 << 30


@record
class Gpu:
    """One accelerator. `price` is a rough hourly rent in US dollars, only used to rank clusters against each other.

    `source` says who measured the usable memory and where, or that nobody did whom we know of and what was taken instead.
    """

    name: str
    title: str
    label_gb: int
    usable_gib: float
    source: str
    price: float = 0.0

    @property
    def measured(self) -> bool:
        """False where the usable memory is derived from the label or from a card with the same memory."""
        return not self.source.startswith(_NONE)

    @property
    def usable(self) -> int:
        """Bytes that programs share."""
        return int(self.usable_gib * GIB)

    @property
    def range(self) -> tuple[int, int]:
        """The least and the most bytes that may be usable; the same where they were measured or given."""
        doubt = 0 if self.measured else int(UNSURE * self.usable)
        return self.usable - doubt, self.usable + doubt


GH = "https://github.com/"
_SMI = f"nvidia-smi totals in {GH}modal-labs/modal-client/pull/2797"
_BENCH = "memory and its share of the total in prime-rl's benchmark rows, 2026-01"
_SAID = f"{GH}search?type=code&q="
"""Logs in public repositories that anybody can look up by the number."""
_NONE = "no public measurement at hand"
UNSURE = 0.01
"""How much of a capacity that nobody measured may be missing: drivers were seen to keep from 0.4 to 1.1 % of what they count."""

GPUS: tuple[Gpu, ...] = (
    Gpu("b300-288g", "NVIDIA B300", 288, 267.69, f"out-of-memory messages; 275040 MiB in nvidia-smi: {_SAID}275040MiB", 5.5),
    Gpu("gb300-288g", "NVIDIA GB300", 288, 276.50, f"out-of-memory messages; 284208 MiB in nvidia-smi: {_SAID}284208MiB", 6.5),
    Gpu("gb200-192g", "NVIDIA GB200", 192, 184.31, f"out-of-memory messages; 189471 MiB in nvidia-smi: {_SAID}189471MiB", 5.0),
    Gpu("b200-180g", "NVIDIA B200", 180, 178.35, f"device query, 178.35: {GH}pytorch/ao/pull/4002; prime-rl's rows agree", 4.5),
    Gpu("h200-141g", "NVIDIA H200", 141, 139.80, f"{_BENCH}; 143771 MiB in nvidia-smi: {GH}sgl-project/sglang/issues/3196", 3.2),
    Gpu("h100-80g", "NVIDIA H100 SXM 80GB", 80, 79.18, f"{_BENCH}; 79.11 with another driver: {GH}vllm-project/vllm/issues/27508", 2.5),
    Gpu("h100-pcie-80g", "NVIDIA H100 PCIe 80GB", 80, 79.11, f"81559 MiB in nvidia-smi: {_SAID}%22NVIDIA+H100+PCIe%22; as the SXM part at least", 2.2),
    Gpu("h100-nvl-94g", "NVIDIA H100 NVL", 94, 93.00, f"out-of-memory message: {GH}ali-vilab/VACE/issues/56", 2.6),
    Gpu("gh200-96g", "NVIDIA GH200 96GB", 96, 94.50, f"out-of-memory messages; 97871 MiB in nvidia-smi: {_SAID}97871MiB", 2.5),
    Gpu("gh200-144g", "NVIDIA GH200 144GB", 144, 141.80, f"146831 MiB in nvidia-smi: {_SAID}%22GH200+144G%22; less the share that 96 GB parts keep", 3.0),
    Gpu("h800-80g", "NVIDIA H800", 80, 79.11, f"81559 MiB in nvidia-smi: {_SAID}%22NVIDIA+H800%22+81559MiB; as H100 at least", 2.3),
    Gpu("h20-96g", "NVIDIA H20 96GB", 96, 95.22, f"97871 MiB in nvidia-smi: {_SAID}%22NVIDIA+H20%22+97871MiB; 95.22 in messages without the name", 1.5),
    Gpu("h20-141g", "NVIDIA H20 141GB", 141, 139.80, f"143771 MiB in nvidia-smi: {_SAID}%22NVIDIA+H20-3e%22; as many as H200 has", 1.8),
    Gpu("a100-80g", "NVIDIA A100 SXM 80GB", 80, 79.15, f"81920 MiB: {_SMI}; 79.25 with another driver: {GH}levihsu/OOTDiffusion/issues/235", 1.6),
    Gpu("a100-pcie-80g", "NVIDIA A100 PCIe 80GB", 80, 79.15, f"81920 MiB in nvidia-smi: {_SAID}%22NVIDIA+A100+80GB+PCIe%22; as many as the SXM part has", 1.4),
    Gpu("a100-40g", "NVIDIA A100 40GB", 40, 39.39, f"40960 MiB: {_SMI}; 39.50 with another driver: {GH}TianheWu/CoSeR/issues/10", 1.1),
    Gpu("a800-80g", "NVIDIA A800 80GB", 80, 79.33, f"out-of-memory message: {GH}hahnyuan/PB-LLM/issues/3; 81920 MiB: {GH}dexmal/dexbotic/issues/41", 1.4),
    Gpu("v100-32g", "NVIDIA V100 32GB", 32, 31.74, f"out-of-memory message: {GH}liucongg/ChatGLM-Finetuning/issues/73", 0.6),
    Gpu("v100-16g", "NVIDIA V100 16GB", 16, 15.75, f"16130 MiB in nvidia-smi: {GH}yangjianxin1/GPT2-chitchat/issues/19", 0.4),
    Gpu("p100-16g", "NVIDIA P100 16GB", 16, 15.89, f"16280 MiB in nvidia-smi: {_SAID}16280MiB", 0.3),
    Gpu("a40-48g", "NVIDIA A40", 48, 44.34, f"46068 MiB in nvidia-smi: {GH}sgl-project/sglang/issues/1522; L40 with as much gives 44.40", 0.5),
    Gpu("a30-24g", "NVIDIA A30", 24, 23.49, f"24576 MiB in nvidia-smi; 23.53 in an out-of-memory message: {GH}google/RB-Modulation/issues/5", 0.5),
    Gpu("a10-24g", "NVIDIA A10", 24, 22.06, f"23028 MiB: {_SMI}; less what the driver keeps", 0.6),
    Gpu("a10g-24g", "NVIDIA A10G", 24, 22.06, f"about 22: {GH}huggingface/local-gemma/pull/25; as A10", 0.8),
    Gpu("l4-24g", "NVIDIA L4", 24, 22.03, f"23034 MiB: {_SMI}; less what the driver keeps", 0.6),
    Gpu("l20-48g", "NVIDIA L20", 48, 44.53, f"out-of-memory message: {GH}Tencent-Hunyuan/HunyuanCustom/issues/36", 0.9),
    Gpu("l40-48g", "NVIDIA L40", 48, 44.40, f"out-of-memory message: {GH}QwenLM/Qwen3-VL/issues/2097", 0.9),
    Gpu("l40s-48g", "NVIDIA L40S", 48, 44.42, f"out-of-memory message: {GH}stepfun-ai/Step-Video-T2V/issues/8; 46068 MiB: {_SMI}", 1.0),
    Gpu("t4-16g", "NVIDIA T4", 16, 14.56, f"out-of-memory message: {GH}Zheng-Chong/CatVTON/issues/133; 15360 MiB: {_SMI}", 0.3),
    Gpu("rtx-a6000-48g", "NVIDIA RTX A6000", 48, 47.40, _BENCH, 0.6),
    Gpu("rtx-6000-ada-48g", "NVIDIA RTX 6000 Ada", 48, 44.43, f"with error correction, out-of-memory message: {GH}DINGYANB/MTVCrafter/issues/21", 0.8),
    Gpu("rtx-pro-6000-96g", "NVIDIA RTX PRO 6000 Blackwell", 96, 94.97, f"out-of-memory messages; 97887 MiB in nvidia-smi: {_SAID}97887MiB", 1.4),
    Gpu("rtx-a5000-24g", "NVIDIA RTX A5000", 24, 23.68, f"24256 MiB in nvidia-smi, 24564 with a newer driver: {_SAID}%22RTX+A5000%22+24256MiB", 0.3),
    Gpu("rtx-a4000-16g", "NVIDIA RTX A4000", 16, 15.61, f"out-of-memory message: {GH}DengKaiCQ/VGGT-Long/issues/6", 0.2),
    Gpu("rtx-5090-32g", "NVIDIA GeForce RTX 5090", 32, 31.36, f"out-of-memory message: {GH}TrajectoryCrafter/TrajectoryCrafter/issues/20", 0.6),
    Gpu("rtx-4090-24g", "NVIDIA GeForce RTX 4090", 24, 23.52, f"out-of-memory message: {GH}Soul-AILab/SoulX-FlashTalk/issues/5; others up to 23.68", 0.4),
    Gpu("rtx-4080-16g", "NVIDIA GeForce RTX 4080", 16, 15.70, f"16376 MiB in nvidia-smi: {_SAID}%22RTX+4080%22+16376MiB; 15.70 under Linux", 0.3),
    Gpu("rtx-3090-24g", "NVIDIA GeForce RTX 3090", 24, 23.69, f"out-of-memory message: {GH}vllm-project/vllm/issues/2140", 0.3),
    Gpu("rtx-3080-10g", "NVIDIA GeForce RTX 3080", 10, 9.78, f"out-of-memory message: {GH}zai-org/CogVideo/issues/34", 0.2),
    Gpu("rtx-2080ti-11g", "NVIDIA GeForce RTX 2080 Ti", 11, 10.76, f"out-of-memory message: {GH}JDAI-CV/image-captioning/issues/11", 0.1),
    Gpu("mi210-64g", "AMD Instinct MI210", 64, 63.98, f"rocminfo, 67092480 KB: {GH}ROCm/legacy-rocm-build/issues/3460", 0.8),
    Gpu("mi250x-64g", "AMD Instinct MI250X, one die", 64, 63.98, f"{_NONE} that names the card: label 64 GiB, less as much as MI210 keeps", 0.8),
    Gpu("mi300x-192g", "AMD Instinct MI300X", 192, 191.98, f"rocminfo, 201310208 KB: {GH}ROCm/rocm-examples/issues/187", 2.2),
    Gpu("mi325x-256g", "AMD Instinct MI325X", 256, 255.98, f"262128 MB in amd-smi: {_SAID}%22262128+MB%22", 2.6),
    Gpu("mi355x-288g", "AMD Instinct MI355X", 288, 287.98, f"clinfo, 301973504 KB: {_SAID}301973504+MI355X", 3.0),
    Gpu("ascend-910b-64g", "Huawei Ascend 910B", 64, 60.97, f"out-of-memory message: {GH}zai-org/CogVideo/issues/63", 1.0),
    Gpu("ascend-910b-32g", "Huawei Ascend 910B4", 32, 29.49, f"out-of-memory messages: {_SAID}910B4+%2229.49+GiB%22", 0.6),
)  # fmt: skip

_BY_NAME = {gpu.name: gpu for gpu in GPUS}


def gpu_named(gpu_name: str) -> Gpu:
    """The accelerator of that name; `h100` or `NVIDIA H100 80GB HBM3` will do where only one fits best.

    Also `NAME:GIB`, for one that is not in the table. Raises UsageError with the nearest names.
    """
    name, mark, size = gpu_name.partition(":")
    if mark:
        return _gpu_of_own_size(name, size, gpu_name)
    key = re.sub(r"[^a-z0-9]+", "-", gpu_name.lower().replace("nvidia", "").replace("geforce", "")).strip("-")
    if key in _BY_NAME:
        return _BY_NAME[key]
    words = set(key.replace("gb", "g").split("-")) - {"hbm3", "hbm2", "hbm3e", "sxm", "sxm4", "sxm5", "amd", "instinct"}
    fits = [gpu for gpu in GPUS if words and words <= set(gpu.name.split("-"))]
    if fits:
        return fits[0]
    from difflib import get_close_matches

    near = get_close_matches(key, [*_BY_NAME, *(n.rsplit("-", 1)[0] for n in _BY_NAME)], n=3, cutoff=0.4)
    hint = ", ".join(dict.fromkeys(near)) or ", ".join(gpu.name for gpu in GPUS[:8])
    raise UsageError(f"--gpu {gpu_name}: not in the table; nearest: {hint}; or give its memory, as in mygpu:47.4 [GiB]")


def _gpu_of_own_size(name: str, size: str, gpu_name: str) -> Gpu:
    try:
        usable = float(size)
    except ValueError:
        usable = 0.0
    if not 1 <= usable < 1 << 20:
        raise UsageError(f"--gpu {gpu_name}: after the colon comes the usable memory in GiB, 1 or more")
    return Gpu(name or "gpu", name or "GPU", round(usable), usable, "given on the command line")
