"""How it is shown that a target cannot run what rftconf refuses, one entry a kind of refusal; or why no judge can show it.

`refusal` is a part of rftconf's own sentence, with `…` where the sentence names something (tests/convert/refusal_sentences.py). Four
ways: the value is written by hand and the target's loader refuses it (`Forced`, `Command`), its sources have or lack what
the sentence says (`Cited`), or the sentence is about the source or about rftconf itself (`NO_JUDGE`, with the reason).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rftconf.schemas.registry import CHATLEARN, FRAMEWORKS, ROLL, TRINITY, VERL, at_least
from tests.conformance.samples import TRINITY_GRPO, VERL_GRPO, VERL_MEGATRON
from tests.sources import ROOT

FIRST, LAST = "0", "9999"
OPEN, CONVERT = ROOT / "golden" / "open", ROOT / "golden" / "convert"
ROLL_BASE = (OPEN / "roll-single-from-trinity" / "expected.yaml").read_text()
ROLL_MEGATRON = (OPEN / "roll-megatron-from-verl" / "expected.yaml").read_text()
ROLL_PPO = ROLL_BASE.replace("adv_estimator: grpo", "adv_estimator: gae") + (
    "\ncritic:\n  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 128}\n"
    "  strategy_args: {strategy_name: fsdp2_train}\n  device_mapping: list(range(4,8))  # the critic's\n"
)
CHATLEARN_BASE = (CONVERT / "trinity-to-chatlearn" / "expected.yaml").read_text()
TRINITY_PAIRS = (CONVERT / "roll-dpo-to-trinity" / "expected-0.5.2.yaml").read_text()
SFT_MEGATRON = {
    "engine": "megatron", "optim": "megatron", "data.train_files": "/d/train.parquet", "data.train_batch_size": "64",
    "model.path": "/m",
}  # fmt: skip
"""veRL's SFT program on Megatron; the groups are words like the others."""


@dataclass(frozen=True, slots=True)
class Forced:
    """What rftconf refuses, and the replacements that write it into a file of the target all the same.

    `since` and `until` are the first and last release that it is refused for.
    """

    refusal: str
    text: str = field(repr=False)
    changes: Mapping[str, str] = field(hash=False)
    since: str = FIRST
    until: str = LAST


@dataclass(frozen=True, slots=True)
class Command:
    """The same for a command of veRL's: settings that it takes, and those that rftconf refuses to write."""

    refusal: str
    settings: Mapping[str, str] = field(hash=False, repr=False)
    changes: Mapping[str, str] = field(hash=False)
    since: str = FIRST
    until: str = LAST
    program: str = "verl.trainer.main_ppo"


@dataclass(frozen=True, slots=True)
class Cited:
    """What rftconf refuses, and what the sources of the target have, or lack, below `path`."""

    refusal: str
    framework: str
    path: str
    pattern: str
    there: bool
    since: str = FIRST
    until: str = LAST


ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
TORN = {"data.train_batch_size": "20", ACTOR + "ppo_mini_batch_size": "5", ACTOR + "ppo_micro_batch_size_per_gpu": "1",
        ROLLOUT + "n": "2"}  # fmt: skip
VERL_COMMANDS = (
    Command(
        "an update takes … prompts, a period yields", VERL_GRPO, {ACTOR + "ppo_mini_batch_size": "512"}, since="0.3.0"
    ),
    Command("itself stops at", VERL_GRPO, {ACTOR + "ppo_mini_batch_size": "512"}, since="0.3.0"),
    Command(
        "no whole number of copies of the experts",
        VERL_MEGATRON,
        {ACTOR + "megatron.expert_model_parallel_size": "8"},
        since="0.4.0",
    ),
    Command("none of their numbers that … ranks share", VERL_GRPO, TORN, since="0.8.0"),
    Command("no part of … x … GPUs can share", VERL_GRPO, {"data.train_batch_size": "250", ROLLOUT + "n": "3"}),
    Command("trainer GPUs hold no rank of", VERL_MEGATRON, {ACTOR + "megatron.tensor_model_parallel_size": "3"}),
    Command("gives its roles no GPUs", VERL_GRPO, {"trainer.n_gpus_per_node": "0"}),
    Command("cannot be written as a Hydra override", VERL_GRPO, {"+data.own": "{'a b': 1}"}),
    Command(
        "takes its own strategy only",
        SFT_MEGATRON,
        {"+engine.strategy": "fsdp"},
        "0.6.1",
        LAST,
        "verl.trainer.sft_trainer",
    ),
)
ENGINES, SYNC = "engine_num: 2", "sync_interval: 1}"
TRINITY_FORCED = (
    Forced("no split of … x … GPUs between engines", TRINITY_GRPO, {ENGINES: "engine_num: 8"}),
    Forced("the source's engines of … GPUs are larger than", TRINITY_GRPO, {"tensor_parallel_size: 1": "tensor_parallel_size: 16"}),
    Forced("auxiliary GPUs leave none of … for the trainer", TRINITY_GRPO, {ENGINES: "engine_num: 8"}),
    Forced("not whole nodes", TRINITY_GRPO, {"node_num: 1": "node_num: 2", ENGINES: "engine_num: 4"}),
    Forced("cannot be shared by … trainer GPUs", TRINITY_GRPO, {"batch_size: 96": "batch_size: 97"}),
    Forced("are no multiple of … trainer GPUs", TRINITY_GRPO, {"batch_size: 96": "batch_size: 92"}, until="0.4.1"),
    Forced("rollout GPUs are … of … GPUs", TRINITY_GRPO, {ENGINES: "engine_num: 2.5"}),
    Forced("form A needs whole mini-batches", TRINITY_GRPO, {"batch_size: 96": "batch_size: 96.5"}),
    Forced("has one sync interval", TRINITY_GRPO, {SYNC: "sync_interval: 1, explorer_sync_interval: 1}"}, until="0.5.2"),
    Forced("cannot share one GPU between engine and trainer", TRINITY_GRPO,
           {"gpu_per_node: 8": "gpu_per_node: 1", ENGINES: "engine_num: 1"}, until="0.4.1"),
    Forced("pairs an update cannot be shared by", TRINITY_PAIRS, {"train_batch_size: 128": "train_batch_size: 129"}, since="0.5.2"),
)  # fmt: skip
DEVICES, STEPS = "device_mapping: list(range(0,4))", "gradient_accumulation_steps: 128"
ROLL_FORCED = (
    Forced("sequences an update cannot be shared by … data-parallel ranks; ROLL", ROLL_BASE, {DEVICES: "device_mapping: list(range(0,3))"}),
    Forced("no whole number of updates of …; ROLL", ROLL_BASE, {STEPS: "gradient_accumulation_steps: 96"}),
    Forced("ROLL stops at its first update", ROLL_BASE, {STEPS: "gradient_accumulation_steps: 1024"}),
    Forced("leave the trainer no GPU", ROLL_BASE, {DEVICES: "device_mapping: list(range(0,0))"}),
    Forced("ROLL's Megatron counts prompts", ROLL_MEGATRON,
           {"rollout_batch_size: 256": "rollout_batch_size: 4", STEPS: "gradient_accumulation_steps: 4"}),
    Forced("an update of the critic cannot be shared by", ROLL_PPO,
           {"list(range(4,8))  # the critic's": "list(range(4,7))  # the critic's"}),
)  # fmt: skip
UPDATE, OWN = "train_global_batch_size: 256", "num_gpu: 4 "
CHATLEARN_FORCED = (
    Forced("not a multiple of … samples an update", CHATLEARN_BASE, {UPDATE: "train_global_batch_size: 300"}),
    Forced("would make no update at all", CHATLEARN_BASE, {UPDATE: "train_global_batch_size: 2048"}),
    Forced("is not a multiple of … responses per prompt", CHATLEARN_BASE,
           {"num_inference_per_prompt: 8 ": "num_inference_per_prompt: 7 "}),
    Forced("that is no whole number of ranks", CHATLEARN_BASE, {OWN: "num_gpu: 3 "}),
    Forced("cannot be shared by … data-parallel ranks", CHATLEARN_BASE, {OWN: "num_gpu: 6 "}),
    Forced("are not a whole number of engines of … GPUs", CHATLEARN_BASE,
           {"tensor_model_parallel_size: 1 ": "tensor_model_parallel_size: 3 "}),
    Forced("… is not read: …", CHATLEARN_BASE, {"\nmodels:": "\nruntime_env:\n  platform: DLC\nmodels:"}),
    Forced("it belongs to ChatLearn up to 1.0.3", CHATLEARN_BASE, {"\nmodels:": "\nruntime:\n  num_rollout_worker: 1\nmodels:"}),
)  # fmt: skip
FORCED = {TRINITY.name: TRINITY_FORCED, ROLL.name: ROLL_FORCED, CHATLEARN.name: CHATLEARN_FORCED}
CITED = (
    Cited("the source trains a critic", CHATLEARN.name, "chatlearn/algorithm", r"(?i)critic|value_model", there=False),
    Cited("FSDP trainer has the token-level ratio", CHATLEARN.name, "chatlearn/models/fsdp_module.py", "gspo", there=False),
    Cited("ChatLearn has the clipped ratio of ppo", CHATLEARN.name, "chatlearn/algorithm", r"(?i)cispo|sapo|kl_cov|clip_cov|topr|reinforce", there=False),
    Cited("the source's rows may hold images", CHATLEARN.name, "chatlearn", r"(?i)vlm|image_grid|pixel_values", there=False, until="1.2.0"),
    Cited("a group of one has advantage", CHATLEARN.name, "chatlearn/algorithm", r"- mean\(?|- .*mean", there=True),
    Cited("starts grpo and nothing else", CHATLEARN.name, "chatlearn/entrypoint.py",
          r'ALGO_REGISTRY[^=]*= \{\s*"grpo": \([^)]*\),?\s*\}', there=True),
    Cited("it has no worlds that are reset and stepped", CHATLEARN.name, "chatlearn", r"env\w*\.(?:reset|step)\(", there=False),
    Cited("the agent acts in …, turn by turn", CHATLEARN.name, "chatlearn", r"gymnasium|import gym\b", there=False),
    Cited("no trainer for pairs of answers", VERL.name, "verl", r"(?i)dpo_loss|\bchosen\b.*\brejected\b", there=False),
    Cited("veRL distils a student on its own answers alone", VERL.name, "verl/trainer/sft_trainer.py", r"(?i)distil|teacher",
          there=False, since="0.6.1"),
    Cited("Trinity-RFT distils a student on its own answers alone", TRINITY.name, "trinity/algorithm/algorithm.py",
          r"class (?!OnPolicy)\w*Distill", there=False),
    Cited("starts none: they came with", VERL.name, "verl", r"class DistillationConfig|distillation_ppo_loss", there=False, until="0.7.1"),
    Cited("starts none: they came with", TRINITY.name, "trinity", r"on_policy_distill|OnPolicyDistill", there=False, until="0.3.3"),
    Cited("starts none: they came with", ROLL.name, "roll", r"is_pure_opd|_handle_opd_mapping", there=False, until="0.1.3"),
    Cited("has no … program", VERL.name, "verl/trainer/main_ppo.py", r"fully_async|async_training", there=False, until="0.6.1"),
    Cited("veRL drops incomplete batches", VERL.name, "verl/trainer/ppo/ray_trainer.py",
          r"Train dataloader is empty|assert len\(self\.train_dataloader\) >= 1", there=True),
    Cited("veRL's FSDP program stops at it", VERL.name, "verl/trainer/fsdp_sft_trainer.py", r"is not divisible by dp size", there=True,
          until="0.6.1"),
    Cited("neither reads the other's keys", VERL.name, "verl/utils/megatron/optimizer.py", "lr_decay_style", there=True, since="0.6.1"),
    Cited("explorer and trainer would never meet", TRINITY.name, "trinity/trainer/trainer.py", r"train_step_num % self\.", there=True),
)  # fmt: skip
ASKED = "a question about what the source means, which the person answers; nothing is said of the target"
_HALF = "half of a run: what the other half does is in no file, so there is nothing that a target could be asked to run"
_WRITES = "the program trains nothing and scores nothing in its own framework either; the sentence is about the source"
SOURCE_ALONE = (_HALF, _WRITES)
"""Reasons that say of the source that there is nothing to convert."""
_QUOTES = "quotes another refusal of this list"
_GUIDE = "a first config is refused by the memory account, before there is anything to put before a framework"
_MIGRATE = "the text cannot be changed in place; the run itself is not refused"
_TRL = "the source's own parser refuses it: tests/conformance/test_trl_configs.py asks it; nothing is said of a target"
_TRL_UPDATE = "an update is per device x processes x accumulation in its code: no whole numbers of the others make it"
_NEMO_RL = (
    "examples has a program for each of NeMo-RL's trainers, with sections of its own; nothing is said of a target"
)
NO_JUDGE = {
    "run_grpo.py learns from rewards alone: NeMo-RL's other trainers": "examples/run_sft.py, run_dpo.py and the like are programs "
    "of their own; rftconf writes none, and says so",
    "it belongs to NeMo-RL's run_distillation.py": _NEMO_RL,
    "it belongs to NeMo-RL's run_dpo.py": _NEMO_RL,
    "it belongs to NeMo-RL's run_ppo.py": _NEMO_RL,
    "it belongs to NeMo-RL's run_rm.py": _NEMO_RL,
    "it belongs to NeMo-RL's run_sft.py": _NEMO_RL,
    "NeMo-RL's environments are Ray actors": "setup_response_data makes an actor for each env_name (nemo_rl/data/utils.py); their code acts",
    "ranks have no equal shares of it: NeMo-RL stops": "shard_by_batch_size asserts batch_size % shards == 0, at the first update on GPUs "
    "(nemo_rl/distributed/batched_data_dict.py)",
    "answers, no whole number of updates of …: NeMo-RL stops": "shard_by_batch_size asserts total_batch_size % batch_size == 0, at the "
    "first update on GPUs (nemo_rl/distributed/batched_data_dict.py)",
    "and NeMo-RL leaves out what makes no whole step": "setup loads rows with drop_last=True, so that no step comes "
    "(nemo_rl/algorithms/grpo.py); it needs GPUs to get there",
    "the source's … is …; … has …": "NeMo-RL's ClippedPGLossFn has switches for its losses, and none for another "
    "(nemo_rl/algorithms/loss/loss_functions.py)",
    "… is a list here and a section of the config below": "the form that was asked for cannot hold it; the run itself is not refused",
    "the source gives its trainer no GPU": "nothing trains in such a source; no target is asked",
    "learns from rewards alone: TRL's other trainers": "TRL has them as programs of their own; rftconf writes none, and says so",
    "its tools and environments are Python objects": "they are arguments of GRPOTrainer that `trl grpo` does not pass (trl/scripts/grpo.py)",
    "… has …, which an option cannot say": "a wish of the command line (--as sh); the same config as YAML is not refused",
    "an update takes … sequences, and … ranks have no equal shares": _TRL_UPDATE,
    "OpenRLHF has the clipped ratio of ppo and gspo": "PolicyLoss.__init__ knows two words of policy_loss_type (openrlhf/models/loss.py)",
    "compares answers to one prompt and stops at one": "train_ppo_ray asserts n_samples_per_prompt > 1 for these estimators",
    "OpenRLHF's agents are Python code": "--train.agent_func_path names a file of Python (openrlhf/utils/agent.py)",
    "OpenRLHF's other trainers are programs of their own": "openrlhf/cli has a module for each, with flags of its own",
    "OpenRLHF would round the update down": "accumulated_gradient is a whole quotient (openrlhf/utils/deepspeed/deepspeed.py)",
    "TRL compares answers to one prompt, and asks for 2 at least": "GRPOConfig stops at it: tests/conformance/test_trl_configs.py asks it",
    "a period yields … completions and an update takes …: TRL": _TRL_UPDATE,
    "accelerate starts equally many processes on each": "its launcher divides the processes by the machines and starts the quotient on each",
    "TRL has the clipped ratio of ppo and gspo": "_compute_loss ends in `Unknown loss type`, at the first batch on a GPU and not before",
    "this file is a part of a config": "the source is half a config, which no program is started with; nothing is said of a target",
    "gives Megatron's models no adapter": "the run starts and trains every weight; ROLL's start judge asks model_providers for it",
    "--adapters: this is …": "adapters are a wish beside the conversion; the run itself is not refused",
    "--adapters: … … takes no reward function": "adapters are a wish beside the conversion; the run itself is not refused",
    "--adapters: the config names no data set": "adapters are a wish beside the conversion; the run itself is not refused",
    "--adapters: rftconf converts no rows": "adapters are a wish beside the conversion; the run itself is not refused",
    "are both set: GRPOConfig stops at that": _TRL,
    "… a prompt: GRPOConfig asks for whole groups": _TRL,
    "updates would mix generations": "the source mixes them; a plan has one generation for an update, and no target is asked",
    "looks like a group size that this fork keeps elsewhere": ASKED,
    "veRL counts both in prompts": ASKED,
    "the split cannot be computed": ASKED,
    "is a config of … (…), which rftconf does not read": "the source is of a framework that is none of the four; nothing is said of a target",
    "mode explore is the explorer alone": _HALF,
    "mode serve answers requests": _HALF,
    "is the trainer alone": _HALF,
    "main_generation_server writes answers": _WRITES,
    "main_generation writes answers": _WRITES,
    "main_eval scores answers": _WRITES,
    "has no counterpart in …: …": _QUOTES,
    "this is …; …": _QUOTES,
    "stage …: …": _QUOTES,
    "counts the pairs of a step in train_batch_size": "the older release runs pairs, several updates a step; the plan has one "
    "number for an update and cannot say it, which is rftconf's limit and not the target's",
    "do not hand over checkpoints by path": "ChatLearn starts each run; what rftconf has no script for is the way from one to the next",
    "chooses a training engine whose keys rftconf does not read": "veRL runs it; there is no catalogue of that engine's keys here",
    "has several lines, and an override has one": "the form that was asked for cannot hold it; the run itself is not refused",
    "is no path of names: a part of it is empty": "an override can spell such a key and a file cannot; the run itself is not refused",
    "bare overrides do not say that they are for": "the form that was asked for cannot hold it; the run itself is not refused",
    "cluster.nodes is …: --set gives it a number": "the launch file's own need of a number, of no framework",
    "with sequences of … tokens does not fit": _GUIDE,
    "…, nor any number up to 512": _GUIDE,
    "cannot express the … recipe": "rftconf new writes no config that its own conversion would refuse; those refusals have their proofs",
    "wants changed cannot be changed": _MIGRATE,
    "refused: this would be lost": _MIGRATE,
    "; nothing was written": "an agent is told what the command line says of a loss or of its own check; each of those has its own proof",
    "what it would become is no config of": _MIGRATE,
    "launches share …, and need … and … for it": _MIGRATE,
    "engines apart from the trainer need GPUs of their own": "a wish of the command line (--rollout-gpus 0 and less), or a source that "
    "gives its engines none: the target cannot be told a number of engines below one",
}


def proven_refusals(framework: str) -> list[str]:
    """The refusals that the newest release of a framework shows itself, as a target."""
    newest = FRAMEWORKS[framework].newest
    own = (
        *(VERL_COMMANDS if framework == VERL.name else FORCED.get(framework, ())),
        *(proof for proof in CITED if proof.framework == framework),
    )
    return [
        proof.refusal
        for proof in own
        if (proof.since == FIRST or at_least(framework, newest, proof.since))
        and (proof.until == LAST or at_least(framework, proof.until, newest))
    ]


def refusals() -> list[str]:
    """Every kind of refusal that has an entry."""
    proofs = (*VERL_COMMANDS, *TRINITY_FORCED, *ROLL_FORCED, *CHATLEARN_FORCED, *CITED)
    return [*(proof.refusal for proof in proofs), *NO_JUDGE]
