"""Made-up credentials in sixty forms: how each is written, and what of it no output may show."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import NamedTuple

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Planted(NamedTuple):
    """A key's last name, the value it is given, and the part of the value that is secret."""

    name: str
    value: str
    secret: str


def drawn(seed: str, length: int, letters: str = ALNUM) -> str:
    """A text that looks drawn by chance, the same for a seed in every run."""
    digest = b"".join(hashlib.sha256(f"{seed}{n}".encode()).digest() for n in range(length // 16 + 1))
    return "".join(letters[byte % len(letters)] for byte in digest)[:length]


HEX = "0123456789abcdef"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _jwt() -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "iat": 1516239022})
    head, body = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{head}.{body}.{drawn('jwt', 43)}"


def by_provider() -> list[Planted]:
    """Values of a provider's own form, under names that say nothing."""
    whole = {
        "openai": f"sk-proj-{drawn('o', 48)}",
        "openai_old": f"sk-{drawn('p', 48)}",
        "anthropic": f"sk-ant-api03-{drawn('a', 60)}",
        "openrouter": f"sk-or-v1-{drawn('r', 64, HEX)}",
        "huggingface": f"hf_{drawn('h', 34)}",
        "wandb_new": f"wandb_v1_{drawn('w', 60)}",
        "github": f"ghp_{drawn('g', 36)}",
        "github_fine": f"github_pat_{drawn('f', 22)}_{drawn('f2', 59)}",
        "gitlab": f"glpat-{drawn('gl', 20)}",
        "aws_id": f"AKIA{drawn('aws', 16, UPPER)}",
        "aws_temporary": f"ASIA{drawn('aws2', 16, UPPER)}",
        "alibaba": f"LTAI5t{drawn('ali', 18)}",
        "google": f"AIza{drawn('goo', 35)}",
        "google_oauth": f"ya29.{drawn('goa', 60)}",
        "google_client": f"GOCSPX-{drawn('goc', 28)}",
        "slack": f"xoxb-{drawn('s1', 12, '0123456789')}-{drawn('s2', 12, '0123456789')}-{drawn('s3', 24)}",
        "stripe": f"sk_live_{drawn('st', 24)}",
        "npm": f"npm_{drawn('n', 36)}",
        "pypi": f"pypi-AgEIcHlwaS5vcmc{drawn('py', 70)}",
        "docker": f"dckr_pat_{drawn('d', 27)}",
        "sendgrid": f"SG.{drawn('sg', 22)}.{drawn('sg2', 43)}",
        "telegram": f"{drawn('t', 10, '123456789')}:{drawn('t2', 35)}",
        "databricks": f"dapi{drawn('db', 32, HEX)}",
        "vault": f"hvs.{drawn('v', 24)}",
        "nvidia": f"nvapi-{drawn('nv', 64)}",
        "groq": f"gsk_{drawn('gr', 52)}",
        "replicate": f"r8_{drawn('re', 37)}",
        "digitalocean": f"dop_v1_{drawn('do', 64, HEX)}",
        "mailgun": f"key-{drawn('mg', 32, HEX)}",
        "modelscope": f"ms-{drawn('1', 8, HEX)}-{drawn('2', 4, HEX)}-{drawn('3', 4, HEX)}-{drawn('4', 4, HEX)}-{drawn('5', 12, HEX)}",
        "jwt_form": _jwt(),
        "pem": f"-----BEGIN PRIVATE KEY-----\\n{drawn('pem', 64)}\\n{drawn('pem2', 48)}==\\n-----END PRIVATE KEY-----",
    }
    return [Planted(name, value, value) for name, value in whole.items()]


def by_place() -> list[Planted]:
    """Values that have a secret as a part: in a URL, a header, a command, under names that say nothing."""
    parts = {
        "sql": ("postgresql://trainer:{}@db.example.org/runs", drawn("sql", 14)),
        "redis": ("redis://:{}@10.0.0.1:6379/0", drawn("red", 14)),
        "git": ("https://user:{}@git.example.org/code.git", drawn("git", 20)),
        "query": ("https://api.example.org/v1?api_key={}&seed=1", drawn("q", 24)),
        "query_token": ("https://example.org/hook?access_token={}", drawn("qt", 40, HEX)),
        "slack_hook": ("https://hooks.slack.com/services/{}", f"T{drawn('sh', 8, UPPER)}/B{drawn('sh2', 8, UPPER)}/{drawn('sh3', 24)}"),
        "feishu_hook": ("https://open.feishu.cn/open-apis/bot/v2/hook/{}", f"{drawn('fs', 8, HEX)}-{drawn('fs2', 20, HEX)}"),
        "bearer_header": ("Authorization: Bearer {}", drawn("be", 32)),
        "basic_header": ("Authorization: Basic {}", base64.b64encode(f"me:{drawn('ba', 12)}".encode()).decode()),
        "api_header": ("X-Api-Key: {}", drawn("xk", 32)),
        "curl_user": ("curl -u trainer:{} https://example.org", drawn("cu", 16)),
        "azure": ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}", f"{drawn('az', 86)}=="),
        "data_url": ("data:application/json;base64,{}", base64.b64encode(drawn("du", 40).encode()).decode()),
        "command": ("python judge.py --api-key {}", drawn("co", 30)),
    }  # fmt: skip
    return [Planted(name, value.format(secret), secret) for name, (value, secret) in parts.items()]


def by_name() -> list[Planted]:
    """Values that could be anything, under names that say what they are."""
    plain = {
        "password": "correcthorsebattery",
        "passwd": "Winter2026!x",
        "db_pwd": "hunter22a",
        "x_auth": "let-me-in-please",
        "bearer": "plainwordbearer",
        "api_key": "notverylongkey",
        "hf_token": "sometokenvalue",
        "secret_value": "quitesecretword",
        "token_b64": base64.b64encode(drawn("tb", 18).encode()).decode(),
        "wandb_key": drawn("wk", 40, HEX),
        "key": drawn("k", 32),
        "swanlab_api_kye": drawn("ky", 21),
        "apiKey": "camelcasedkeyvalue",
        "aws_secret_access_key": drawn("as", 40),
        "credentials": "usercredentialtext",
    }
    return [Planted(name, value, value) for name, value in plain.items()]


FORMS = (*by_provider(), *by_place(), *by_name())
