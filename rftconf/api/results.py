"""The answers to what is asked of a config. Each holds typed values, and shows itself as the command line would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

from rftconf.api.showing import Report
from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.secrets import masked

if TYPE_CHECKING:
    from rftconf.base.ledger import Change, Decision, Ledger
    from rftconf.budget.price import Budget
    from rftconf.convert.convert import Conversion
    from rftconf.diff.compare import Comparison, Difference
    from rftconf.report.screen import Screen


@dataclass(frozen=True, repr=False)
class Findings(Report, Sequence[Diagnostic]):
    """The findings about a config, in the order of places: a sequence of diagnostics with code, severity, place and help."""

    found: tuple[Diagnostic, ...]
    name: str
    text: str
    """The text that the places lie in."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings for which the framework would refuse the config or break down."""
        return tuple(diagnostic for diagnostic in self.found if diagnostic.severity is Severity.ERROR)

    @property
    def clean(self) -> bool:
        """True where nothing is worse than a note, as for exit 0 of `rftconf check`."""
        return all(diagnostic.severity is Severity.INFO for diagnostic in self.found)

    @overload
    def __getitem__(self, index: int) -> Diagnostic: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Diagnostic]: ...
    def __getitem__(self, index: int | slice) -> Diagnostic | Sequence[Diagnostic]:
        """Return one finding, or several of them for a slice."""
        return self.found[index]

    def __len__(self) -> int:
        """Count the findings."""
        return len(self.found)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Yield each finding, in the order of places."""
        return iter(self.found)

    def __repr__(self) -> str:
        """Show the codes of the findings."""
        return f"<Findings of {self.name}: {', '.join(diagnostic.code for diagnostic in self.found) or 'none'}>"

    def _report(self, screen: Screen) -> str:
        from rftconf.report.diagnostics import diagnostics_text

        return diagnostics_text(self.found, {self.name: self.text}, screen) if self.found else "Nothing is wrong."


@dataclass(frozen=True, repr=False)
class ConvertedConfig(Report):
    """A config as another framework writes it, with the account of every key."""

    conversion: Conversion
    findings: Findings
    """The errors in what was written: reasons why the target would refuse it."""

    @property
    def text(self) -> str:
        """The target's config: YAML, a launch script or overrides; without secrets, which are withheld."""
        return masked(self.conversion.text)

    @property
    def suffix(self) -> str:
        """The usual suffix of a file with this text: `.yaml`, `.sh` or `.txt`."""
        return self.conversion.file_suffix

    @property
    def framework(self) -> str:
        """The framework that it is written for."""
        return self.ledger.target_framework

    @property
    def release(self) -> str:
        """The release that it is written for."""
        return self.ledger.target_release

    @property
    def ledger(self) -> Ledger:
        """The account: each key of the source in one state, each key of the target with its origin."""
        return self.conversion.ledger

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Return the decisions that are left to the user, each with its choices."""
        return self.ledger.decisions

    @property
    def changes(self) -> tuple[Change, ...]:
        """The reasons why the target's run learns otherwise, the largest effect first."""
        return self.ledger.learning

    def save(self, path: str | Path) -> Path:
        """Write the text to a file, atomically; a launch script is executable. Raises OSError where that is impossible."""
        from rftconf.base import files

        files.write(Path(path), self.text, executable=self.suffix == ".sh")
        return Path(path)

    def __repr__(self) -> str:
        """Show the target, and how many decisions and changes there are."""
        ledger = self.ledger
        target = f"{ledger.target_framework} {ledger.target_release}"
        return (
            f"<ConvertedConfig for {target}: {len(self.decisions)} to decide, {len(self.changes)} changes of learning>"
        )

    def _report(self, screen: Screen) -> str:
        from rftconf.report.ledger import ledger_text

        return ledger_text(self.ledger, screen)


@dataclass(frozen=True, repr=False)
class MemoryBudget(Report):
    """The memory that a run needs on each GPU, by role and phase. Sizes are bytes."""

    budget: Budget

    @property
    def verdict(self) -> str:
        """`fits`, `does not fit` or `too close to tell`."""
        return self.budget.verdict

    @property
    def fits(self) -> bool:
        """True where the run surely fits and its sizes divide each other."""
        return self.verdict == "fits" and not self.budget.problems

    @property
    def peak_bytes(self) -> int:
        """The bytes that the fullest GPU holds at its peak."""
        return self.budget.deciding.deciding.size

    @property
    def headroom_bytes(self) -> int:
        """The bytes that stay free on the fullest GPU at its peak; negative where the run does not fit."""
        return self.budget.headroom

    def __repr__(self) -> str:
        """Show the verdict and the GPU that it is about."""
        return f"<MemoryBudget on {self.budget.gpu.name}: {self.verdict}, {self.headroom_bytes / 2**30:.1f} GiB left>"

    def _report(self, screen: Screen) -> str:
        from rftconf.budget.as_text import budget_text

        return budget_text(self.budget, screen)


@dataclass(frozen=True, repr=False)
class ConfigDiff(Report):
    """The differences of two configs, which may be of two frameworks."""

    comparison: Comparison

    @property
    def verdict(self) -> str:
        """`same`, `different`, or `unknown` where a value that decides it is not told; names and logging do not count."""
        return str(self.comparison.verdict().value)

    @property
    def same(self) -> bool:
        """True where both are surely the same run."""
        return self.verdict == "same"

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Every difference, over all stages; `known.effect` says what each one touches."""
        return tuple(difference for stage in self.comparison.stages for difference in stage.differences)

    def __repr__(self) -> str:
        """Show the verdict and the number of differences."""
        return f"<ConfigDiff: {self.verdict}, {len(self.differences)} differences>"

    def _report(self, screen: Screen) -> str:
        from rftconf.diff.as_text import comparison_text

        return comparison_text(self.comparison, screen, full=False)
