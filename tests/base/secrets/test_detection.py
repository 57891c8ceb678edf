"""No credential reaches an output, whatever key or value it hides in."""

from __future__ import annotations

import json
import time

import pytest

from rftconf.base.ledger import State
from rftconf.base.secrets import forget, is_secret, masked, remember, secrets_of
from rftconf.base.secrets.detection import secret_spans
from rftconf.base.secrets.forms import FORMS as KNOWN_FORMS
from rftconf.base.symbols import Text, Var
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.report.ledger import ledger_json
from rftconf.text.read.read import read
from rftconf.text.source import Source, from_bytes
from tests.base.secrets import false_alarms
from tests.base.secrets.detector_forms import DETECTOR_FORMS
from tests.base.secrets.forms import FORMS, Planted
from tests.base.secrets.provider_forms import PROVIDER_FORMS, WAYS
from tests.corpus import corpora

TOKEN = "sk-" + "a1B2" * 8


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("monitor.monitor_args.api_key", "0123456789abcdef"),
        ("trainer.hf_token", "anything"),
        ("trainer.experiment_name", TOKEN),
        ("trainer.logger", ["console", TOKEN]),
        ("x.args", {"password": "hunter2"}),
        ("model.path", Text(("https://", TOKEN, "@", Var("HOST")))),
    ],
)
def test_secrets_are_seen(key: str, value: object) -> None:
    assert is_secret(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("explorer.rollout_model.api_key", "EMPTY"),
        ("data.max_token_len", 16384),
        ("x.api_key", "${oc.env:KEY}"),
        ("actor_rollout_ref.actor.loss_agg_mode", "token-mean"),
        ("trainer.project_name", "task-sk-learn"),
    ],
)
def test_what_is_no_secret_passes(key: str, value: object) -> None:
    assert not is_secret(key, value)


@pytest.mark.parametrize("to", ["trinity", "verl"])
@pytest.mark.parametrize("key", ["trainer.experiment_name", "actor_rollout_ref.model.path", "+trainer.note"])
def test_a_secret_is_in_no_output(to: str, key: str) -> None:
    lines = ["data.train_files=/d/train.parquet", "actor_rollout_ref.rollout.name=vllm", "algorithm.adv_estimator=grpo",
             "actor_rollout_ref.rollout.tensor_model_parallel_size=1", f"{key}={TOKEN}"]  # fmt: skip
    done = convert(read(from_bytes("run.txt", "\n".join(lines).encode())), to, framework="verl")
    everything = done.text + json.dumps(ledger_json(done.ledger)) + done.plan.model_dump_json()
    assert TOKEN not in everything
    withheld_keys = [line.key for line in done.ledger.sources if line.state is State.WITHHELD]
    assert withheld_keys == [key.lstrip("+")]


def test_excerpts_keep_their_width() -> None:
    line = f'export HF_TOKEN="{TOKEN}" python3 x.py'
    assert TOKEN not in masked(line)
    assert len(masked(line)) == len(line)


@pytest.mark.parametrize("planted", [*FORMS, *DETECTOR_FORMS, *PROVIDER_FORMS], ids=lambda lines: lines.name)
def test_each_form_is_found_as_a_value_and_in_a_text(planted: Planted) -> None:
    assert is_secret(f"x.{planted.name}", planted.value)
    assert planted.secret not in masked(f"{planted.name}: '{planted.value}'\n")


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_write_a_value_is_seen(way: str) -> None:
    text, secret = WAYS[way]
    assert secret not in masked(text.format(secret))


@pytest.mark.parametrize(
    "text",
    [
        "python3 a.py --use_auth \\\n  --lr 1e-6\n",
        "- --enable-api-key-check\n- --port\n- 8000\n",
        "docker run -p 8000:8000 verl:v1@sha256:9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9f8a7b6c5d4e3f2a1b0c9d8e\n",
        "curl http://127.0.0.1:8000/v1/models@main\n",
        "keys: ['prompt', 'password_hint', 'answer']\n",
        "- name: data\n  value: /mnt/data\n",
        "row = table('placement.sequences_per_pass', why='engines hold them')\n",
        "mkdir -p /data/runs && unzip data.zip -d /data\n",
        "mysql -u root runs\n",
        "the password is needed, the token is of the tokenizer\n",
        "api_key=${oc.env:KEY,EMPTY} key: ${oc.env:OPENAI_API_KEY,null}\n",
        "$WANDB_API_KEY: it is read when the run starts",
    ],
)
def test_ordinary_lines_are_kept(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model.path", "/m/hf_transformers_x"),
        ("trainer.experiment_name", "sk-learn-experiment-1"),
        ("tokenizer.pad_token", "<|endoftext|>"),
        ("tokenizer.eos_token", "EOSTOKEN12345678"),
        ("data.prompt_key", "question_v2_final"),
        ("data.prompt_key", "extra_info.question"),
        ("trainer.revision", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"),
        ("reward.api_key_env", "OPENAI_API_KEY"),
        ("reward.secret_file", "/run/secrets/judge"),
        ("reward.pass_at_k", "8"),
        ("judge.url", "http://127.0.0.1:8000/v1"),
        ("judge.api_key", "<your key>"),
        ("judge.api_key", "test"),
        ("judge.searchApiKey", "88888888"),
        ("judge.api_key", "${JUDGE_KEY:-EMPTY}"),
        ("wrap_policy.transformer_layer_cls_to_wrap", "Qwen3MoeDecoderLayer"),
        ("wrap_policy.transformer_layer_cls_to_wrap", "Qwen2VLForConditionalGeneration2B"),
        ("trainer.experiment_name", "Qwen25-7B-GRPO-GSM8K-2Nodes-LR1e6-KL001"),
        ("trainer.experiment_name", "Qwen3VLMoeTextDecoderLayer"),
        ("trainer.image", "verlai/verl:nightly-9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a"),
    ],
)
def test_ordinary_values_are_kept(key: str, value: str) -> None:
    assert not is_secret(key, value)
    assert masked(f"{key}={value}") == f"{key}={value}"


def test_json_is_json_when_its_secrets_are_masked() -> None:
    texts = [
        "password: 'cut short …",
        "-----BEGIN RSA PRIVATE KEY-----\\nMIIEow…",
        "user='\"hunter2hunter2\"}' is no override",
    ]
    pair = {"key": "judge.api_key", "value": None}
    data = [{"message": message, "line": 185, "state": None, "note": "it's here", **pair} for message in texts]
    for text in (json.dumps(data), json.dumps({"findings": data}, indent=2)):
        saved = json.loads(masked(text))
        assert [entry["line"] for entry in (saved if isinstance(saved, list) else saved["findings"])] == [185] * len(
            texts
        )


def test_a_value_that_is_a_secret_elsewhere_is_one_here() -> None:
    secrets = secrets_of(["export WANDB_API_KEY=hunter2hunter2\n"])
    assert secrets.are_in("trainer.experiment_name", "run_hunter2hunter2_a")
    remember(secrets)
    try:
        assert masked("name: run_hunter2hunter2_a") == "name: run_**************_a"
    finally:
        forget()
    assert masked("name: run_hunter2hunter2_a") == "name: run_hunter2hunter2_a"


def test_a_config_is_the_same_whatever_was_read_before_it() -> None:
    """The files of a folder, and the documents of an editor, are read by one process."""
    text = "algorithm.adv_estimator=grpo\ntrainer.experiment_name=run_hunter2hunter2_a\ndata.train_batch_size=8\n"
    try:
        alone = load(read(Source("a.txt", text)))
        read(Source("b.sh", "export WANDB_API_KEY=hunter2hunter2\npython3 -m verl.trainer.main_ppo\n"))
        after = load(read(Source("a.txt", text)))
    finally:
        forget()
    assert after.plan == alone.plan
    assert after.secrets == alone.secrets == frozenset()


@pytest.mark.skipif(not any(corpora().values()), reason="the corpus of real configs lies elsewhere")
def test_real_configs_have_few_false_alarms() -> None:
    """At most one key in a thousand; docs/false-alarms.md lists them as they are."""
    values = [false_alarms.alarms_in(real) for reals in corpora().values() for real in reals]
    keys, alarms = sum(count for count, _ in values), [key for _, taken in values for key in taken]
    assert keys > 30_000
    assert len(alarms) <= keys // false_alarms.ASKED, alarms
    assert false_alarms.FILE.read_text(encoding="utf-8") == false_alarms.page()


LONGEST_S = 2.0
BEGINNINGS = (
    *(
        "aB3dE6gH9jK2mN5pQ8sT_",
        "-----BEGIN PRIVATE KEY-----",
        "docker login -p ",
        "wandb login --a ",
        "machine a login b password ",
    ),
    *(
        "printf -v ab '%",
        "printf -v password %s ",
        "read password <<< ",
        "read a ",
        "setenv ab ",
        "aws configure set a.b.",
        "<a>",
    ),
    *(
        "<ab:password ",
        "<password>",
        "<![CDATA[",
        "<name>ab</name> ",
        "password:\n",
        "password:\n  a:\n",
        "- token: |\n    a\n",
    ),
    *(
        "passwords=(",
        "password: [a,",
        "secret[",
        "password='",
        'password="a"',
        "a:5432:b:c:pgpass\n",
        "sudo -S <<a ",
        "chpasswd << a ",
    ),
    *("redis-cli -a ", "sk-ant-", "sk-proj-", *dict.fromkeys(mark for form in KNOWN_FORMS for mark in form.marks)),
)


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_text_that_repeats_the_beginning_of_a_form_is_searched_in_one_pass(beginning: str) -> None:
    text = beginning * (60_000 // len(beginning))
    began = time.process_time()
    list(secret_spans(text))
    assert time.process_time() - began < LONGEST_S
