"""The forms that providers give their credentials, as data: each with a text that every match contains.

Most follow the rules of detect-secrets, of gitleaks, and the providers' own documentation of their token formats.
"""

from __future__ import annotations

import re
from functools import cached_property


class Form:
    """One provider's form of a credential. Group `value` of its pattern, where there is one, is the part that is secret."""

    def __init__(self, title: str, marks: str, pattern: str) -> None:
        self.title = title
        self.marks = tuple(marks.split())
        """Every match contains one of these, so that a text without them need not be searched. Lower case."""
        self._source = pattern

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when a text has one of the marks for the first time."""
        return re.compile(self._source)


_B = r"(?<![A-Za-z0-9])"
"""No letter or digit before: a form begins there."""
_RANDOM = r"(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Za-z])"
"""A digit and a letter must follow: `sk-learn-experiment` is a name. No further than a token is long, since a text may repeat its beginning."""

FORMS = (
    Form(
        "private key",
        "-----begin",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^\"]{0,20000}?(?:-----END [A-Z0-9 ]{0,40}-----|(?=\"|-----BEGIN )|\Z)",
    ),
    Form("private key", "putty-user-key-file", r"PuTTY-User-Key-File-\d[^\"]{0,20000}"),
    Form("JSON Web Token", "eyj", rf"{_B}eyJ[\w=-]{{8,}}\.[\w=-]{{4,}}(?:\.[\w.+/=-]*)?"),
    Form("OpenAI", "sk-", rf"{_B}sk-(?:proj|svcacct|admin|None)-{_RANDOM}[\w-]{{16,}}"),
    Form("OpenAI", "sk-", rf"{_B}sk-(?=[A-Za-z]*\d)[A-Za-z0-9_]{{12,}}"),
    Form("OpenAI", "t3blbkfj", rf"{_B}sk-[\w-]*T3BlbkFJ[A-Za-z0-9]{{20}}"),
    Form("Anthropic, OpenRouter", "sk-", rf"{_B}sk-(?:ant|or|lf)-{_RANDOM}[\w-]{{12,}}"),
    Form("Hugging Face", "hf_", rf"{_B}hf_(?=[A-Za-z]*\d|[a-z]*[A-Z])[A-Za-z0-9]{{12,}}"),
    Form("Hugging Face", "api_org_", rf"{_B}api_org_[A-Za-z0-9]{{20,}}"),
    Form("Weights & Biases", "wandb_v", rf"{_B}wandb_v\d_[\w-]{{20,}}"),
    Form("GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_B}gh[pousr]_\w{{20,}}"),
    Form("GitHub", "github_pat_", rf"{_B}github_pat_\w{{22,}}"),
    Form(
        "GitLab",
        "gl",
        rf"{_B}gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-(?=[\w-]*[\dA-Z])[\w-]{{12,}}",
    ),
    Form("GitLab", "gr1348941", rf"{_B}GR1348941[\w-]{{16,}}"),
    Form("AWS", "a3t abia acca akia asia", r"(?<![A-Z0-9])(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{12,}"),
    Form("Alibaba Cloud", "ltai", rf"{_B}LTAI[A-Za-z0-9]{{12,}}"),
    Form("Tencent Cloud", "akid", rf"{_B}AKID(?=[A-Za-z]*\d)[A-Za-z0-9]{{13,}}"),
    Form("Google", "aiza", rf"{_B}AIza[\w-]{{30,}}"),
    Form("Google", "ya29.", rf"{_B}ya29\.[\w-]{{20,}}"),
    Form("Google", "gocspx-", rf"{_B}GOCSPX-[\w-]{{20,}}"),
    Form("Azure", "accountkey=", r"(?i:AccountKey)=(?P<value>[A-Za-z0-9+/=]{40,})"),
    Form("Slack", "xox", rf"{_B}(?i:xox[abceoprs])-[\w-]{{10,}}"),
    Form("Slack", "hooks.slack.com", r"(?i:hooks\.slack\.com/(?:services|workflows)/)(?P<value>[\w/-]{12,})"),
    Form("Slack", "xapp-", rf"{_B}xapp-\d-[\w-]{{20,}}"),
    Form("1Password", "a3-", rf"{_B}A3-[A-Z0-9]{{6}}(?:-[A-Z0-9]{{5,11}}){{4,5}}"),
    Form("Adobe", "p8e-", rf"{_B}p8e-[a-z0-9]{{32}}"),
    Form("age", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    Form("Airtable", "pat", rf"{_B}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"),
    Form("Atlassian", "atatt3x atbb", rf"{_B}(?:ATATT3x|ATBB)[\w=-]{{24,}}"),
    Form("Azure", "q~", r"(?<![\w.~])[\w.~]{3}\dQ~[\w.~-]{31,34}"),
    Form("Brevo", "xkeysib-", rf"{_B}xkeysib-[0-9a-f]{{40,}}(?:-[A-Za-z0-9]{{8,}})?"),
    Form("Buildkite", "bkua_", rf"{_B}bkua_[0-9a-f]{{40}}"),
    Form("Cerebras", "csk-", rf"{_B}csk-{_RANDOM}[a-z0-9]{{32,}}"),
    Form("CircleCI", "ccipat_", rf"{_B}CCIPAT_\w{{20,}}"),
    Form("Clojars", "clojars_", rf"{_B}CLOJARS_[A-Za-z0-9]{{40,}}"),
    Form("Cloudflare", "v1.0-", rf"{_B}v1\.0-[0-9a-f]{{24}}-[0-9a-f]{{100,}}"),
    Form("Dynatrace", "dt0c01.", rf"{_B}dt0c01\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{40,}}"),
    Form("Firecrawl", "fc-", rf"{_B}fc-[0-9a-f]{{32}}(?![0-9a-f])"),
    Form("Flutterwave", "flwseck", rf"{_B}FLWSECK(?:_TEST)?-[0-9a-zA-Z]{{12,}}(?:-X)?"),
    Form("42", "s-s4t2", rf"{_B}s-s4t2(?:ud|af)-[0-9a-f]{{64}}"),
    Form("Jina", "jina_", rf"{_B}jina_[A-Za-z0-9_-]{{40,}}"),
    Form("LangSmith", "lsv2_", rf"{_B}lsv2_(?:pt|sk)_\w{{32,}}"),
    Form("New Relic", "nrak- nrjs-", rf"{_B}NR(?:AK|JS)-[A-Za-z0-9]{{19,}}"),
    Form("Octopus", "api-", rf"{_B}API-(?=[A-Z]*\d)[A-Z0-9]{{26}}(?![A-Za-z0-9])"),
    Form("Postman", "pmak-", rf"{_B}PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}"),
    Form("Pulumi", "pul-", rf"{_B}pul-[0-9a-f]{{40}}"),
    Form("ReadMe", "rdme_", rf"{_B}rdme_[a-z0-9]{{40,}}"),
    Form("RubyGems", "rubygems_", rf"{_B}rubygems_[0-9a-f]{{48}}"),
    Form("Sentry", "sntryu_ sntrys_", rf"{_B}sntry[us]_[\w+/=]{{40,}}"),
    Form("Shippo", "shippo_", rf"{_B}shippo_(?:live|test)_[0-9a-fA-F]{{40}}"),
    Form("Shopify", "shpat_ shpca_ shppa_ shpss_", rf"{_B}shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}"),
    Form("Sourcegraph", "sgp_", rf"{_B}sgp_(?:(?:[0-9a-fA-F]{{16}}|local)_)?[0-9a-fA-F]{{40}}"),
    Form("Supabase", "sbp_", rf"{_B}sbp_[0-9a-f]{{40}}"),
    Form("Terraform", ".atlasv1.", rf"{_B}[A-Za-z0-9]{{14}}\.atlasv1\.[\w=-]{{40,}}"),
    Form("Teams", "webhook.office.com", r"(?i:webhook\.office\.com/webhookb2/)(?P<value>[\w@/-]{20,})"),
    Form(
        "login",
        "login",
        r"\b(?:docker|podman|helm|oras|crane|skopeo)[ \t][^\n|;&]{0,100}\blogin\b"
        r"[^\n|;&]{0,200}?[ \t]-p[ \t=]?[\"']?(?P<value>[^\s\"']{3,})",
    ),
    Form(
        "login",
        "login",
        r"\b(?:wandb|swanlab|comet|huggingface-cli|hf auth)[ \t]+login[ \t]+(?:--?[\w-]+[ \t=]+)*"
        r"[\"']?(?P<value>(?![\w-]*login)[A-Za-z0-9_-]{12,})",
    ),
    Form("login", "sshpass", r"\bsshpass[ \t]+-p[ \t]*[\"']?(?P<value>[^\s\"']{3,})"),
    Form("login", "redis-cli", r"\bredis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]+[\"']?(?P<value>[^\s\"']{3,})"),
    Form("netrc", "machine", r"\bmachine[ \t]+\S{1,200}\s+login[ \t]+\S{1,200}\s+password[ \t]+(?P<value>\S{3,})"),
    Form("Discord", "discord", r"(?i:discord(?:app)?\.com/api/webhooks/)(?P<value>\d+/[\w-]{20,})"),
    Form("Discord", ".", rf"{_B}[MNO][\w-]{{23,25}}\.[\w-]{{6}}\.[\w-]{{27,}}"),
    Form("Feishu, Lark", "open-apis/bot", r"open-apis/bot/v\d/hook/(?P<value>[\w-]{20,})"),
    Form("DingTalk, WeCom", "access_token= webhook/send", r"(?:access_token|webhook/send\?key)=(?P<value>[\w-]{20,})"),
    Form("Telegram", ":", rf"{_B}\d{{8,10}}:[\w-]{{35}}(?![\w-])"),
    Form("npm", "npm_", rf"{_B}npm_[A-Za-z0-9]{{20,}}"),
    Form("npm", "_authtoken=", r"_authToken=\s*(?P<value>[^\s\"']+)"),
    Form("PyPI", "pypi-", rf"{_B}pypi-Ag[\w-]{{20,}}"),
    Form("Docker", "dckr_pat_", rf"{_B}dckr_pat_[\w-]{{20,}}"),
    Form("SendGrid", "sg.", rf"{_B}SG\.[\w-]{{16,}}\.[\w-]{{16,}}"),
    Form("Stripe", "k_live_ k_test_", rf"{_B}[rsp]k_(?:live|test)_[A-Za-z0-9]{{16,}}"),
    Form("Twilio", "ac sk", r"(?<![A-Za-z0-9])(?:AC|SK)(?=[a-z]*\d)[a-z0-9]{32}(?![A-Za-z0-9])"),
    Form("Mailchimp", "-us", rf"{_B}[0-9a-z]{{32}}-us\d{{1,2}}(?!\w)"),
    Form("Mailgun", "key-", rf"{_B}key-[0-9a-f]{{32}}"),
    Form("Square", "sq0", rf"{_B}sq0[a-z]{{3}}-[\w\\-]{{22,}}"),
    Form("Artifactory", "akc ap", r"(?:(?<=[\s=:\"'])|^)AKC(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}(?![\w-])"),
    Form("SoftLayer", "api.softlayer.com", r"(?i:api\.softlayer\.com/soap/v3(?:\.1)?/)(?P<value>[a-z0-9]{64})"),
    Form("Databricks", "dapi", rf"{_B}dapi[0-9a-f]{{32}}"),
    Form("HashiCorp Vault", "hvs. hvb. hvr.", rf"{_B}hv[sbr]\.[\w-]{{20,}}"),
    Form("NVIDIA", "nvapi-", rf"{_B}nvapi-[\w-]{{20,}}"),
    Form("Groq", "gsk_", rf"{_B}gsk_[A-Za-z0-9]{{20,}}"),
    Form("xAI", "xai-", rf"{_B}xai-(?=[A-Za-z]*\d)[A-Za-z0-9]{{20,}}"),
    Form("Perplexity", "pplx-", rf"{_B}pplx-(?=[A-Za-z]*\d)[A-Za-z0-9]{{20,}}"),
    Form("Replicate", "r8_", rf"{_B}r8_[A-Za-z0-9]{{20,}}"),
    Form("Fireworks", "fw_", rf"{_B}fw_[A-Za-z0-9]{{20,}}"),
    Form("Tailscale", "tskey-", rf"{_B}tskey-[\w-]{{16,}}"),
    Form("DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", rf"{_B}do[opr]_v1_[0-9a-f]{{40,}}"),
    Form("Notion", "ntn_ secret_", rf"{_B}(?:ntn_|secret_)(?=[A-Za-z]*\d)[A-Za-z0-9]{{30,}}"),
    Form("Linear", "lin_api_", rf"{_B}lin_api_[A-Za-z0-9]{{20,}}"),
    Form("Grafana", "glc_ glsa_", rf"{_B}gl(?:c|sa)_[\w+/=]{{20,}}"),
    Form("ModelScope", "ms-", rf"{_B}ms-[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}"),
    Form("password in a URL", "://", r"://[^\s:/@\"'<>{}]{0,200}:(?P<value>[^\s/@\"'<>]{1,200})@"),
    Form("user of a URL", "://", rf"://(?P<value>{_RANDOM}[\w-]{{16,200}})@"),
    Form("data URL", "data:", r"(?i:data:)[\w.+/-]{0,100}(?:;[\w=.-]{1,40}){0,4},(?P<value>[\w%+/=-]{12,})"),
    Form("header", "authorization", r"(?i:authorization)[\"']?\s*[:=]\s*[\"']?(?:(?:\w{2,20})[ \t]+)?(?P<value>[^\s\"',]{4,})"),
    Form("header", "bearer", r"(?i:\bbearer)[ \t]+(?P<value>[\w.~+/=-]{8,})"),
    Form("header", "basic", r"(?i:\bbasic)[ \t]+(?P<value>(?=[A-Za-z]*[\d=])[A-Za-z0-9+/]{12,}={0,2})(?![\w-])"),
    Form(
        "user and password",
        "-u --user --proxy-user",
        r"(?<![\w-])(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'/$]{1,100}:(?P<value>[^\s\"'/@:]{3,})",
    ),
    Form("Kubernetes, Ethereum", "0x", rf"{_B}0x[0-9a-fA-F]{{64}}(?![0-9a-fA-F])"),
)  # fmt: skip
