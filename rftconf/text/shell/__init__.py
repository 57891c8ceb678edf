"""Launch scripts, read and never executed."""

from rftconf.text.shell.reader import Script, Unresolved, read_script
from rftconf.text.shell.state.started_command import Command
from rftconf.text.shell.state.state import Find, Lead
from rftconf.text.shell.values import Word

__all__ = ["Command", "Find", "Lead", "Script", "Unresolved", "Word", "read_script"]
