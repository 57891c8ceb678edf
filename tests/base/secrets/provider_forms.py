"""Made-up credentials: newer providers, programs' own options, addresses and ways to write a value that no test had."""

from __future__ import annotations

import base64

from tests.base.secrets.detector_forms import LOWER, uuid
from tests.base.secrets.forms import HEX, Planted, drawn

UPPER_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

BY_PROVIDER = {
    "zhipu": f"{drawn('zp', 32, HEX)}.{drawn('zp2', 16)}",
    "baidu": f"bce-v3/ALTAK-{drawn('bd', 20)}/{drawn('bd2', 40, HEX)}",
    "volcano": f"AKLT{base64.b64encode(drawn('vo', 30).encode()).decode()}",
    "runpod": f"rpa_{drawn('rp', 40, UPPER_AND_DIGITS)}",
    "kaggle": f"KGAT_{drawn('kg', 32, HEX)}",
    "sandbox": f"e2b_{drawn('e2', 40, HEX)}",
    "daytona": f"dtn_{drawn('dt', 64, HEX)}",
    "prime": f"pit_{drawn('pi', 64, HEX)}",
    "elevenlabs": f"sk_{drawn('el', 48, HEX)}",
    "openpipe": f"opk_{drawn('op', 45, HEX)}",
    "fal": f"{uuid('fa')}:{drawn('fa2', 32, HEX)}",
    "bcrypt": f"$2b$12${drawn('bc', 53)}",
    "anyscale": f"aph0_{drawn('an', 60, LOWER)}",
    "anyscale_older": f"esecret_{drawn('an2', 26, LOWER)}",
    "neon": f"napi_{drawn('ne', 60, LOWER)}",
    "planetscale_word": f"pscale_pw_{drawn('psc', 43)}",
    "voyage": f"pa-{drawn('vy', 43)}",
    "vercel": f"vcp_{drawn('ve', 56)}",
    "netlify": f"nfp_{drawn('nf', 36)}",
    "github_application": f"v1.{drawn('ga', 40, HEX)}",
    "google_newer": f"AQ.Ab8RN6{drawn('gq', 44)}",
    "helicone": "-".join(("sk-helicone", *(drawn(f"he{n}", 7, LOWER) for n in range(4)))),
    "linear_login": f"lin_oauth_{drawn('lo', 64, HEX)}",
    "honeycomb": f"hcaik_01{drawn('hc', 56, LOWER)}",
    "twilio_pair": f"AC{drawn('tw', 32, HEX)}:{drawn('tw2', 32, HEX)}",
    "azure_openai": f"{drawn('ao', 52)}JQQJ99BCACYeBjFXJ3w3AAABACOG{drawn('ao2', 4)}",
    "word_and_digits": f"apikey-{drawn('hp', 32, HEX)}",
    "word_and_uuid": f"token-{uuid('up')}",
}  # fmt: skip
"""Values of a provider's own form, under names that say nothing."""

BY_PLACE = {
    "url_slash": ("postgresql://u:{}@db:5432/x", "aB3/xY7/zQ9w"),
    "url_encoded": ("mysql://u:{}@db/x", "p%40ss%2Fw0rd"),
    "url_unknown_user": ("mysql://${{DB_USER}}:{}@db/x", "hunter22bcd"),
    "url_without_scheme": ("trainer:{}@db.example.org:5432/runs", "plainword99pw"),
    "oracle": ("jdbc:oracle:thin:scott/{}@h:1521:x", "tigerpassword9"),
    "zapier": ("https://hooks.zapier.com/hooks/catch/{}", f"1234567/{drawn('za', 7, LOWER)}"),
    "mysql_option_p": ("mysql -u root -p{} runs", "attachedpw99"),
    "kubectl": ("kubectl create secret generic judge --from-literal=foo={}", "literalvalue99"),
    "openssl": ("openssl enc -aes-256-cbc -k {} -in a", "opensslkpw99"),
    "unzip": ("unzip -P {} data.zip", "unzippw99x"),
    "seven_zip": ("7z x -p{} data.7z", "sevenzpw99x"),
    "sudo_pipe": ("echo {} | sudo -S ls", "sudopassword9"),
    "sudo_word": ("sudo -S ls <<< {}", "sudopassword8"),
    "docker_pipe": ("echo {} | docker login -u me --password-stdin", "dockerpassw9"),
    "kinit": ("echo {} | kinit me", "kinitpassword"),
    "curl_cookie": ("curl -b session={} https://h", "cookievalue99"),
    "vault_login": ("vault login {}", "s.plainvaulttok"),
    "ssh_keygen": ("ssh-keygen -t rsa -N {} -f k", "keygenphrase9"),
    "htpasswd": ("htpasswd -b f me {}", "htpasswdpw99"),
    "az_login": ("az login --service-principal -u me -p {} --tenant t", "azlogin~pw99"),
    "lftp": ("lftp -u me,{} ftp://h", "lftppassword9"),
    "smbclient": ("smbclient //h/s -U me%{}", "smbpassword99"),
    "ldapsearch": ("ldapsearch -D cn=me -w {} -b dc=x", "ldappassword9"),
    "mongosh": ("mongosh -u me -p {} h", "mongopassword"),
    "sqlcmd": ("sqlcmd -S h -U sa -P {}", "sqlcmdpass99"),
    "ipmitool": ("ipmitool -I lanplus -U a -P {} power", "ipmipass99x"),
    "minio": ("mc alias set m https://h AKEXAMPLE {}", "minioSecretKey99"),
    "ossutil": ("ossutil config -e h -i LTAIx -k {}", drawn("oss", 30, LOWER)),
    "login_option": ("modelscope login --token {}", "plainmstoken99"),
    "login_elsewhere": ("wandb login --relogin --host=https://w.example.org {}", drawn("wr", 40, HEX)),
    "variable_default": ("${{oc.env:WANDB_API_KEY,{}}}", "ocenvdefault99"),
    "json_pair": ('{{"name": "HF_TOKEN", "value": "{}"}}', "k8sjsonvalue99"),
    "json_list": ('["--hf-token", "{}"]', "optlistjson998"),
    "added": ("WANDB_API_KEY+={}", "plusequalkey99"),
    "sentence": ("the password is {}", "commentispass9"),
    "german": ("Passwort: {}", "deutschpasswd9"),
}  # fmt: skip
"""Values that have a secret as a part, and the part."""

PROVIDER_FORMS = (
    *(Planted(name, value, value) for name, value in BY_PROVIDER.items()),
    *(Planted(name, value.format(secret), secret) for name, (value, secret) in BY_PLACE.items()),
)

WAYS = {
    "anchor": ("password: &pw {}\n", "anchorpassword9"),
    "tag": ("password: !!str {}\n", "taggedpassword9"),
    "pair": ("- name: HF_TOKEN\n  value: {}\n", "k8snamevalue99"),
    "item": ("- --api-key\n- {}\n", "yamloptskey999"),
    "next_line": ("vllm serve m --api-key \\\n  {}\n", "continuedkey99"),
    "next_line_of_value": ("export HF_TOKEN=\\\n{}\n", "continuedtok99"),
    "joined": ("export PASSWORD='abc''{}'\n", "splitquote9999"),
    "joined_word": ('export PASSWORD="abc"{}\n', "concatrest9999"),
    "escaped_quote": ('export PASSWORD="a\\"{}"\n', "quotedrest999"),
    "escapes": ("export PASSWORD=$'{}'\n", "ansicquoted999"),
    "three_quotes": ('api_key = """{}"""\n', "tomltriplekey9"),
    "never_closed": ("export PASSWORD='{}\n", "neverclosed99"),
    "never_closed_double": ('export PASSWORD="{}\n', "neverclosed98"),
    "chinese": ("# 密码：{}\n", "chinesepasswd9"),
    "call": ("os.environ.setdefault('WANDB_API_KEY', '{}')\n", "pysetdefault99"),
    "ssh2": ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n", drawn("s2", 64, HEX)),
    "shadow": ("root:$6$bzuG867n${}:19000:0\n", drawn("sh", 86)),
}  # fmt: skip
"""Ways in which a text writes a value: no value of a key, a part of a file."""
