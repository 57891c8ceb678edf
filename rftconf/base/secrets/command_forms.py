"""The places in which programs take a password on their command line, as data."""

from __future__ import annotations

from rftconf.base.secrets.form import Form

_ARGUMENTS = r"[^\n|;&]{0,200}?"
_VALUE = r"[\"']?(?P<value>[^\s\"'$|;&<>-][^\s\"'|;&<>]{2,200})"


def _option(marks: str, programs: str, option: str, value: str = _VALUE) -> Form:
    """Build the form of an option of some programs, whose value is a password."""
    return Form("command", marks, rf"(?<![\w-])(?:{programs})\b{_ARGUMENTS}[ \t]{option}{value}")


COMMAND_FORMS = (
    Form(
        "login",
        "login",
        r"\b(?:docker|podman|helm|oras|crane|skopeo)[ \t][^\n|;&]{0,100}\blogin\b"
        r"[^\n|;&]{0,200}?[ \t]-p[ \t=]?[\"']?(?P<value>[^\s\"']{3,})",
    ),
    Form(
        "login",
        "login",
        r"\b(?:wandb|swanlab|comet|huggingface-cli|hf auth)[ \t]+login[ \t]+(?:--?[\w-]+[ \t=]+(?:https?://\S{1,200}[ \t]+)?){0,9}"
        r"[\"']?(?P<value>(?![\w-]*login)[A-Za-z0-9_-]{12,})",
    ),
    Form(
        "login",
        "login",
        r"\blogin\b[^\n|;&]{0,200}?[ \t]--?(?:token|key|api-key|t|k)[ \t=][ \t]*[\"']?(?P<value>(?![$-])[^\s\"'|;&<>]{8,200})",
    ),
    Form("login", "vault", r"\bvault[ \t]+login[ \t]+(?P<value>(?![$-])[\w.-]{8,200})"),
    Form("login", "sshpass", r"\bsshpass[ \t]+-p[ \t]*[\"']?(?P<value>[^\s\"']{3,})"),
    Form("login", "redis-cli", r"\bredis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]+[\"']?(?P<value>[^\s\"']{3,})"),
    _option("mysql mariadb", r"mysql\w*|mariadb[\w-]*", "-p"),
    _option("7z", "7z[ar]?", "-p"),
    _option("mongo az", r"mongo\w*|az[ \t]+login", r"-p[ \t]+"),
    _option("sqlcmd ipmitool zip", "sqlcmd|ipmitool|unzip|zip", r"-P[ \t]*"),
    _option("openssl ossutil", r"openssl[ \t]+\w+|ossutil\w*[ \t]+config", r"-k[ \t]+"),
    _option("ssh-keygen", "ssh-keygen", r"-[NP][ \t]+"),
    _option("ldap", r"ldap(?:search|add|modify|delete|whoami|passwd)", r"-w[ \t]+"),
    _option("htpasswd", "htpasswd", r"-[A-Za-z]*b[A-Za-z]*[ \t]+\S{1,200}[ \t]+\S{1,200}[ \t]+"),
    _option("lftp", "lftp", r"-u[ \t]+[^\s,]{1,100},"),
    _option("smb", r"smb\w+", r"-U[ \t]*[^\s%]{1,100}%"),
    _option("mc", "mc", r"(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S{1,100}[ \t]+\S{1,200}[ \t]+\S{1,100}[ \t]+"),
    _option("kubectl", r"kubectl", r"--from-literal[ \t=][\"']?[\w.-]{1,100}="),
    _option("curl", "curl", r"(?:-b|--cookie)[ \t=][ \t]*[\"']?[\w-]{1,60}="),
    Form("file of passwords", "pgpass", r"(?m:^)[^\s:#]{1,200}:(?:\d{2,5}|\*):[^\s:]{1,100}:[^\s:]{1,100}:(?P<value>[^\s:]{3,})(?m:$)"),
    Form(
        "password from a here-document",
        "<<",
        r"(?:sudo[ \t]+-\w*S|kinit\b|\bpasswd\b|--password-stdin|--passphrase-fd[ =]0)[^\n<]{0,200}<<-?[ \t]*[\"'\\]?\w+[\"']?[^\n<]{0,200}\n"
        r"[ \t]*(?P<value>(?!\$)[^\s]{3,200})",
    ),
    Form(
        "password from a here-document",
        "chpasswd",
        r"\bchpasswd\b[^\n<]{0,200}<<[-<]?[ \t]*(?:[\"'\\]?\w+[\"']?[^\n<]{0,200}\n)?[\"' \t]*[\w.-]{1,40}:(?P<value>(?!\$)[^\s\"']{3,200})",
    ),
    Form(
        "password from a pipe",
        "sudo kinit -stdin",
        r"\b(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?[\"']?(?P<value>(?![$-])[^\s\"'|;&<>]{3,})[\"']?[ \t]*\|[ \t]*"
        r"(?:sudo[ \t]+-\w*S|kinit\b|[\w.-]+[ \t][^\n|;&]{0,200}--password-stdin)",
    ),
    Form(
        "password from a pipe",
        "sudo kinit -stdin",
        r"(?:sudo[ \t]+-\w*S|kinit\b|--password-stdin)[^\n|;&<]{0,200}<<<[ \t]*[\"']?(?P<value>(?![$-])[^\s\"'|;&<>]{3,200})",
    ),
)  # fmt: skip
