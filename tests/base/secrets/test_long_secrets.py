"""A secret is withheld to its last character, however long it is and however it is written."""

from __future__ import annotations

import pytest

from rftconf.base.secrets import masked
from tests.base.secrets.forms import drawn

WRITTEN = {
    "plain": "A_PASSWORD={}",
    "in single quotes": "A_PASSWORD='{}'",
    "in double quotes": 'A_PASSWORD="{}"',
    "in quotes of bash": "A_PASSWORD=$'{}'",
    "in escaped quotes": '{{\\"password\\": \\"{}\\"}}',
    "JSON": '{{"password": "{}"}}',
    "YAML": "password: {}",
    "on the next line": "password:\n  {}\n",
    "a block": "password: |\n  {}\n",
    "read": "read A_PASSWORD <<< {}",
    "read in quotes": 'read A_PASSWORD <<< "{}"',
    "printf": "printf -v A_PASSWORD %s {}",
    "setenv": "setenv DB_PASSWORD {}",
    "XML": "<password>{}</password>",
    "CDATA": "<password><![CDATA[{}]]></password>",
    "a property of XML": "<name>db.password</name><value>{}</value>",
    "Kubernetes": "- name: DB_PASSWORD\n  value: {}",
    "Kubernetes in quotes": '- name: DB_PASSWORD\n  value: "{}"',
    "an address": "https://user:{}@host/x",
    "curl": "curl -u user:{} https://x",
    "docker": "docker login -u me -p {}",
    "docker by a pipe": "echo {} | docker login --password-stdin",
    "wandb": "wandb login {}",
    "huggingface-cli": "huggingface-cli login --token {}",
    "sshpass": "sshpass -p {} ssh x",
    "mysql": "mysql -p{}",
    "kubectl": "kubectl create secret generic a --from-literal=pw={}",
    "bearer": "Authorization: Bearer {}",
    "basic": "Authorization: Basic {}",
    "items": "PASSWORDS=(aaaaaa1 {})",
    "items in quotes": "PASSWORDS=(aaaaaa1 '{}')",
    "prose": "# the password is {}",
    "Chinese prose": "密码是{}",
    "a word of its own": "x={}",
    "a provider's token": "hf_{}",
    "an option": "cmd --password {}",
    "an option with a sign": "cmd --password={}",
    "a query": "https://h/?token={}&a=1",
    "a default of bash": "${{DB_PASSWORD:-{}}}",
    "a default of OmegaConf": "${{oc.env:DB_PASSWORD,{}}}",
    "a default of Python": 'os.environ.setdefault("DB_PASSWORD", "{}")',
    "netrc": "machine h login me password {}",
    "pgpass": "h:5432:db:me:{}",
}


@pytest.mark.parametrize("length", [30, 250, 700, 30_000])
@pytest.mark.parametrize("form", WRITTEN)
def test_a_secret_is_withheld_to_its_end(form: str, length: int) -> None:
    secret = drawn(form, length)
    output = masked(WRITTEN[form].format(secret))
    assert not parts_of_six(secret) & parts_of_six(output)


def parts_of_six(text: str) -> set[str]:
    return {text[start : start + 6] for start in range(len(text) - 5)}
