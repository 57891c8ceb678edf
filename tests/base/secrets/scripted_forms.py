"""Made-up credentials that a script cuts, changes, splits or hands on, and files that it writes with one in them."""

from __future__ import annotations

import shlex
from typing import NamedTuple


class Scripted(NamedTuple):
    """Lines of a script, the word that the launch is given, and what of the secret no output may show."""

    lines: str
    word: str
    secret: str


CHANGED = {
    "cut": Scripted("export DB_PASSWORD=plainwordsecret\n", "${DB_PASSWORD:0:9}", "plainword"),
    "cut_from": Scripted("export DB_PASSWORD=plainwordsecret\n", "${DB_PASSWORD:5:6}", "wordse"),
    "cut_of_form": Scripted("X=sk-proj-abcdWXYZ0123456789qrstQRST\n", "${X:12:8}", "WXYZ0123"),
    "replaced": Scripted("export JUDGE_SECRET=kettlebridge\n", "${JUDGE_SECRET/e/o}", "kottlebridge"),
    "replaced_all": Scripted("export JUDGE_SECRET=kettlebridge\n", "${JUDGE_SECRET//e/o}", "kottlobridgo"),
    "upper": Scripted("export SMTP_PASS=harbourmill\n", "${SMTP_PASS^}", "Harbourmill"),
    "upper_all": Scripted("export SMTP_PASS=harbourmill\n", "${SMTP_PASS^^}", "HARBOURMILL"),
    "mixed": Scripted("export SMTP_PASS=harbourmill\n", "${SMTP_PASS^^[aeiou]}", "hArbOUrmIll"),
    "stripped": Scripted("export API_KEY=stonefield-9\n", "${API_KEY%-*}", "stonefield"),
    "in_more": Scripted("PGPASSWORD=orchardgate\nURL=me/$PGPASSWORD/db\n", "${URL//g/q}", "orchardqate"),
    "end_of_more": Scripted("PGPASSWORD=orchardgate\nURL=me/$PGPASSWORD\n", "${URL%gate}", "orchard"),
    "again": Scripted("export HF_TOKEN=waterlilypond\nA=${HF_TOKEN:0:10}\nB=${A/w/v}\n", "${B^}", "Vaterlilyp"),
    "element": Scripted("PASSWORDS=(meadowlark0 thornbush1)\n", "${PASSWORDS[1]/1/2}", "thornbush2"),
    "all_elements": Scripted("PASSWORDS=(meadowlark3 thornbush4)\n", "${PASSWORDS[*]/%[0-9]/x}", "thornbushx"),
    "parameter": Scripted("export DB_PASSWORD=saltmarshes\nf() { N=${1:0:8}; }\nf $DB_PASSWORD\n", "$N", "saltmars"),
    "indirect": Scripted("export WIKI_SECRET=foxglove77\nP=WIKI_SECRET\n", "${!P/7/8}", "foxglove87"),
    "translated": Scripted("export DB_PASSWORD=cloudberry\n", "$(echo $DB_PASSWORD | tr a-z b-za)", "dmpvecfssz"),
    "field": Scripted("export DB_PASSWORD=silverbirch:x\n", "$(echo $DB_PASSWORD | cut -d: -f1)", "silverbirch"),
    "edited": Scripted("export DB_PASSWORD=goldenrod77\n", "$(echo $DB_PASSWORD | sed s/rod/hop/)", "goldenhop77"),
    "split": Scripted("export PASSPHRASE='windmill7 lanternfish'\n", "$PASSPHRASE", "lanternfish"),
    "here_string": Scripted("read -r DB_PASSWORD <<< juniperberry\n", "${DB_PASSWORD:0:8}", "juniperb"),
    "here_fields": Scripted("read -r A HF_TOKEN <<< 'x hollyhocked'\n", "${HF_TOKEN:0:9}", "hollyhock"),
    "here_other": Scripted("IFS=: read -r A DB_PASSWORD <<< 'me:hazelgrove'\n", "run", "hazelgrove"),
    "here_origin": Scripted("export DB_PASSWORD=elderflower\nread -r X <<< $DB_PASSWORD\n", "${X:0:9}", "elderflow"),
    "printed": Scripted("printf -v DB_PASSWORD '%s' blackthorn\n", "${DB_PASSWORD^}", "Blackthorn"),
    "printed_parts": Scripted("printf -v DB_PASSWORD '%s-%s' rowan tree77\n", "$DB_PASSWORD", "rowan-tree77"),
    "printed_origin": Scripted("export DB_PASSWORD=cedarwood\nprintf -v X 'a%s' $DB_PASSWORD\n", "${X/w/v}", "cedarvood"),
    "element_named": Scripted("declare -A C=([db_password]=willowherb)\n", "${C[db_password]:0:7}", "willowh"),
    "default": Scripted("A=${DB_PASSWORD:-marshmallow}\n", "${A:0:8}", "marshmal"),
    "default_set": Scripted(": ${DB_PASSWORD:=buttercups}\n", "${DB_PASSWORD^^}", "BUTTERCUPS"),
    "given_on": Scripted("export DB_PASSWORD=snowdrops9\nOTHER=$DB_PASSWORD\n", "${OTHER/9/8}", "snowdrops8"),
}  # fmt: skip
"""Words that bash makes of a secret, each a part of a value that the launch gets."""


def _file(text: str, secret: str) -> Scripted:
    return Scripted(f"cat > conf/secrets.txt <<'EOF'\n{text.format(secret)}\nEOF\n", "run", secret)


WRITTEN = {
    "block": _file("db:\n  password: |\n    {}\n  port: 1", "anemonefield"),
    "folded_block": _file("password: >-\n  {}", "bluebellwood"),
    "block_in_list": _file("- api_key: |-\n    {}", "campionwhite"),
    "next_line": _file("password:\n  {}", "daffodilhill"),
    "next_line_quoted": _file("  password:  # of the database\n    \"{}\"", "edelweissalp"),
    "items": _file("passwords:\n- {}\n- other", "forgetmenots"),
    "items_in_brackets": _file("passwords: [first77, {}]", "gentianblue1"),
    "items_in_shell": _file("PASSWORDS=(first77 {})", "hyacinthblue"),
    "entry": _file("passwords:\n  alice: {}", "irisgermanic"),
    "key_alone": _file("password:\n  {}:", "jasminewhite"),
    "key_of_set": _file("password:\n  ? {}", "knapweedfarm"),
    "element": _file("<server>\n  <password>{}</password>\n</server>", "larkspurblue"),
    "element_attributed": _file("<db:password kind='plain'> {} </db:password>", "marigoldtown"),
    "element_quoted": _file("<apiKey><![CDATA[{}]]></apiKey>", "nasturtium77"),
    "property": _file("<property>\n<name>fs.s3.secret.key</name>\n<value>{}</value>\n</property>", "oxeyedaisies"),
    "attribute": _file('<add key="DbPassword" value="{}" />', "primrosehill"),
    "attribute_named": _file('<server user="me" password="{}"/>', "quincetree77"),
    "setenv": _file("setenv HF_TOKEN {}", "ragworthill7"),
    "image": _file("FROM x\nENV HF_TOKEN {}", "snapdragon77"),
    "config_set": _file("git config --global judge.password {}", "tansymeadow7"),
    "config_set_aws": _file("aws configure set aws_secret_access_key {}", "umbelliferae"),
    "printf": _file("printf -v DB_PASSWORD %s {}", "valeriantown"),
    "read": _file("read -r DB_PASSWORD <<< '{}'", "woodsorrel77"),
    "pgpass": _file("# ~/.pgpass\nlocalhost:5432:runs:me:{}", "xeranthemum7"),
    "password_file": _file("docker login -u me --password-stdin <<E\n{}\nE", "yarrowfield7"),
    "sudo_file": _file("sudo -S ls << 'E'\n{}\nE", "zinniagarden"),
    "chpasswd": _file("chpasswd <<E\nroot:{}\nE", "agapanthus77"),
}  # fmt: skip
"""Files that a script writes, which no reader of a config ever sees."""

SCRIPTED = {**CHANGED, **WRITTEN}


def as_script(settings: list[str]) -> str:
    """One script of all of them: each changed word is a part of a note that the launch is given."""
    lines = "".join(f"{case.lines}N{number}={case.word}\n" for number, case in enumerate(SCRIPTED.values()))
    notes = [f"\"+custom.note{number}='a $N{number}'\"" for number in range(len(SCRIPTED))]
    command = ["python3 -m verl.trainer.main_ppo", *map(shlex.quote, settings), *notes]
    return lines + " \\\n    ".join(command) + "\n"
