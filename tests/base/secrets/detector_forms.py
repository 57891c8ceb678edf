"""Sixty made-up credentials by the rules of public detectors: no test before had their forms."""

from __future__ import annotations

import base64

from tests.base.secrets.forms import HEX, UPPER, Planted, drawn

LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
DIGITS = "0123456789"


def uuid(seed: str) -> str:
    """A text of a UUID's form."""
    return "-".join(drawn(f"{seed}{n}", n, HEX) for n in (8, 4, 4, 4, 12))


BY_PROVIDER = {
    "one_pass": f"A3-{drawn('op1', 6, UPPER)}-{drawn('op2', 11, UPPER)}-{drawn('op3', 5, UPPER)}-{drawn('op4', 5, UPPER)}-{drawn('op5', 5, UPPER)}",
    "one_pass_service": f"ops_eyJ{drawn('ops', 260)}",
    "adobe": f"p8e-{drawn('ad', 32, LOWER)}",
    "age": f"AGE-SECRET-KEY-1{drawn('age', 58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}",
    "airtable": f"pat{drawn('ai', 14)}.{drawn('ai2', 64, HEX)}",
    "artifactory_reference": f"cmVmd{drawn('ar', 59)}",
    "bedrock": f"ABSK{drawn('be', 120)}",
    "azure_ad": f"abc8Q~{drawn('azad', 34)}",
    "clojars": f"CLOJARS_{drawn('cl', 60, LOWER)}",
    "cloudflare_origin": f"v1.0-{drawn('cf', 24, HEX)}-{drawn('cf2', 146, HEX)}",
    "doppler": f"dp.pt.{drawn('dp', 43)}",
    "duffel": f"duffel_live_{drawn('du', 43)}",
    "dynatrace": f"dt0c01.{drawn('dt', 24, UPPER)}.{drawn('dt2', 64, UPPER)}",
    "easypost": f"EZAK{drawn('ez', 54)}",
    "facebook": f"EAAM{drawn('fb', 110)}",
    "flutterwave": f"FLWSECK_TEST-{drawn('fl', 32, HEX)}-X",
    "flyio": f"fo1_{drawn('fly', 43)}",
    "flyio_macaroon": f"fm2_{drawn('fly2', 120)}",
    "frameio": f"fio-u-{drawn('fr', 64)}",
    "grafana_old": f"eyJrIjoi{drawn('gra', 80)}",
    "harness": f"pat.{drawn('ha', 22)}.{drawn('ha2', 24)}.{drawn('ha3', 20)}",
    "terraform": f"{drawn('tf', 14)}.atlasv1.{drawn('tf2', 64)}",
    "heroku": f"HRKU-AA{drawn('he', 58)}",
    "intra42": f"s-s4t2ud-{drawn('in', 64, HEX)}",
    "maxmind": f"{drawn('mm', 6)}_{drawn('mm2', 29)}_mmk",
    "octopus": f"API-{drawn('oc', 26, UPPER)}",
    "openshift": f"sha256~{drawn('os', 43)}",
    "planetscale": f"pscale_tkn_{drawn('ps', 43)}",
    "postman": f"PMAK-{drawn('pm', 24, HEX)}-{drawn('pm2', 34, HEX)}",
    "prefect": f"pnu_{drawn('pr', 36)}",
    "pulumi": f"pul-{drawn('pu', 40, HEX)}",
    "readme_io": f"rdme_{drawn('rd', 70, LOWER)}",
    "rubygems": f"rubygems_{drawn('ru', 48, HEX)}",
    "scalingo": f"tk-us-{drawn('sc', 48)}",
    "brevo": f"xkeysib-{drawn('br', 64, HEX)}-{drawn('br2', 16)}",
    "sentry": f"sntryu_{drawn('se', 64, HEX)}",
    "sentry_org": f"sntrys_eyJpYXQiO{drawn('seo', 60)}_{drawn('seo2', 43)}",
    "shippo": f"shippo_live_{drawn('sh', 40, HEX)}",
    "shopify": f"shpat_{drawn('shp', 32, HEX)}",
    "slack_app": f"xapp-1-A{drawn('sa', 10, UPPER)}-{drawn('sa2', 13, DIGITS)}-{drawn('sa3', 64, HEX)}",
    "sourcegraph": f"sgp_{drawn('sg', 40, HEX)}",
    "new_relic": f"NRAK-{drawn('nr', 27, UPPER)}",
    "yandex": f"AQVN{drawn('ya', 36)}",
    "together": f"tgp_v1_{drawn('to', 43)}",
    "cerebras": f"csk-{drawn('ce', 48, LOWER)}",
    "tavily": f"tvly-{drawn('ta', 32)}",
    "langsmith": f"lsv2_pt_{drawn('ls', 32, HEX)}_{drawn('ls2', 10, HEX)}",
    "pinecone": f"pcsk_{drawn('pc', 6)}_{drawn('pc2', 60)}",
    "supabase": f"sbp_{drawn('su', 40, HEX)}",
    "figma": f"figd_{drawn('fi', 40)}",
    "atlassian": f"ATATT3xFfGF0{drawn('at', 170)}",
    "bitbucket": f"ATBB{drawn('bb', 32)}",
    "buildkite": f"bkua_{drawn('bk', 40, HEX)}",
    "circleci": f"CCIPAT_{drawn('cc', 22)}_{drawn('cc2', 40, HEX)}",
    "firecrawl": f"fc-{drawn('fc', 32, HEX)}",
    "jina": f"jina_{drawn('ji', 32, HEX)}{drawn('ji2', 28)}",
    "aws_session_form": f"IQoJb3JpZ2luX2Vj{drawn('iq', 200)}",
    "vault_old": f"s.{drawn('va', 24)}",
    "comet": f"comet_{drawn('cm', 40)}",
    "dashscope": f"sk-{drawn('ds', 32, HEX)}",
    "encrypted_pem": f"-----BEGIN ENCRYPTED PRIVATE KEY-----\\n{drawn('ep', 64)}\\n-----END ENCRYPTED PRIVATE KEY-----",
}  # fmt: skip
"""Values of a provider's own form, under names that say nothing."""

BY_PLACE = {
    "teams_hook": ("https://acme.webhook.office.com/webhookb2/{}", f"{uuid('th')}@{uuid('th2')}/IncomingWebhook/{drawn('th3', 32, HEX)}/{uuid('th4')}"),
    "sas_url": ("https://acme.blob.core.windows.net/c?sv=2022-11-02&sig={}", f"{drawn('sas', 43)}%3D"),
    "presigned": ("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={}", drawn("pre", 64, HEX)),
    "mongo": ("mongodb+srv://trainer:{}@c0.mongodb.net/runs", drawn("mo", 16)),
    "ftp": ("ftp://me:{}@10.0.0.3/d", drawn("ftp", 10, LOWER)),
    "s3_pair": ("s3://{}@bucket/path", f"AKIA{drawn('s3a', 16, UPPER)}:{drawn('s3b', 40)}"),
    "amqp": ("amqps://u:{}@rabbit:5671/%2f", drawn("amq", 18)),
    "sqlserver": ("Server=db;User Id=sa;Password={};Encrypt=true", "Correct!Horse9"),
    "token_header": ("X-Auth-Token: {}", drawn("xa", 32, HEX)),
    "github_header": ("Authorization: token {}", drawn("gh", 40, HEX)),
    "cookie_header": ("Cookie: sessionid={}", drawn("ck", 32, LOWER)),
    "gitlab_header": ("PRIVATE-TOKEN: {}", drawn("glh", 20)),
    "json_text": ('{{"user": "me", "password": "{}"}}', "hunter2hunter2"),
    "json_escaped": ('{{\\"api_key\\": \\"{}\\"}}', drawn("je", 24)),
    "env_text": ("A=1;SECRET_KEY={};B=2", drawn("et", 24)),
    "docker_login": ("docker login -u me -p {} registry.example.org", drawn("dl", 20)),
    "curl_header": ("curl -H 'X-Api-Key: {}' https://example.org", drawn("ch", 28)),
    "sshpass": ("sshpass -p {} ssh host", drawn("sp", 12)),
    "mysql_option": ("mysql -uroot --password={} runs", "letmein99x"),
    "netrc": ("machine example.org login me password {}", "netrcpassword7"),
    "wandb_login": ("wandb login {}", drawn("wl", 40, HEX)),
    "hf_login": ("huggingface-cli login --token {}", drawn("hl", 20)),
    "redis_option": ("redis-cli -a {} ping", drawn("ro", 20)),
    "pip_index": ("https://__token__:{}@pypi.example.org/simple", drawn("pi", 30)),
    "query_key": ("https://maps.example.org/v1?key={}", drawn("qk", 32)),
    "query_sign": ("https://oapi.example.org/robot?timestamp=1&sign={}", drawn("qs", 44)),
}  # fmt: skip
"""Values that have a secret as a part, and the part."""

BY_NAME = {
    "client_secret": "plainclientsecret",
    "dbPassword": "camelpassword",
    "PGPASSWORD": "postgrespassword",
    "MYSQL_PWD": "mysqlpwdvalue",
    "ssh_passphrase": "some-passphrase-here1",
    "encryptionKey": "encryptionkeyvalue",
    "hmac_key": drawn("hm", 32, HEX),
    "webhook_secret": "whsecretvalue",
    "refresh_token": "refreshtokenvalue",
    "id_token": drawn("it", 40),
    "root_passwd": "rootpasswdvalue",
    "connection_password": "connpassword",
    "DASHSCOPE_API_KEY": "dashscopekeyvalue",
    "auth_token": "authtokenvalue",
    "x-api-key": "headerkeyvalue",
    "service_account_key": base64.b64encode(drawn("sak", 30).encode()).decode(),
    "oauth_secret": "oauthsecretvalue",
    "passcode": "908172635544",
    "wandb_api_kye": drawn("wak", 40, HEX),
    "judge_apikey": "judgekeyvalue",
    "smtp_pass": "smtppassvalue",
}  # fmt: skip
"""Values that could be anything, under names that say what they are."""


DETECTOR_FORMS = (
    *(Planted(name, value, value) for name, value in BY_PROVIDER.items()),
    *(Planted(name, value.format(secret), secret) for name, (value, secret) in BY_PLACE.items()),
    *(Planted(name, value, value) for name, value in BY_NAME.items()),
)
