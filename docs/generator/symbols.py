r"""What the symbols in the formulas of claims mean.

A symbol is found by its pattern, and taken out of the formula, so that the patterns of longer ones
come first. What is left must be signs that every reader knows; a symbol that nobody defines fails
the build.
"""

from __future__ import annotations

import re

SYMBOLS: tuple[tuple[str, str, str], ...] = (
    (
        r"\mathrm{IT}(\cdot : \cdot)",
        r"\\mathrm\{IT\}",
        r"what an adversary sees of a mechanism, from first to last question: a random "
        r"variable",
    ),
    (
        r"\mathcal{A}",
        r"\\mathcal\{A\}",
        r"any adversary, who chooses each question after all answers before it",
    ),
    (
        r"\mathcal{M}^{-x}",
        r"\\mathcal\{M\}(_\{\\mathrm\{ER\}\})?\^\{(\\mathrm\{ind\},)?-x\}",
        r"the mechanism in the world in which the unit $x$ took no part",
    ),
    (
        r"\mathcal{M}^{\mathrm{ind}}",
        r"\\mathcal\{M\}\^\{\\mathrm\{ind\}\}",
        r"the universal mechanism with a filter for each unit",
    ),
    (
        r"\mathcal{M}_{\mathrm{ER}}",
        r"\\mathcal\{M\}_\{\\mathrm\{ER\}\}",
        r"the mechanism of event-level reports",
    ),
    (
        r"\mathcal{M}_{\mathrm{SR}}",
        r"\\mathcal\{M\}_\{\\mathrm\{SR\}\}",
        r"the mechanism of summary reports",
    ),
    (
        r"\mathcal{M}",
        r"\\mathcal\{M\}",
        r"the mechanism: whatever answers, with its state",
    ),
    (
        r"\phi_{\varepsilon,\delta}",
        r"\\phi_\{\\varepsilon,\\delta\}",
        r"the filter that lets questions pass while their parameters sum to at most "
        r"$(\varepsilon, \delta)$",
    ),
    (
        r"\mathcal{Y}",
        r"\\mathcal\{Y\}",
        r"the reports that have arrived",
    ),
    (
        r"\approx_{\varepsilon, \delta}",
        r"\\approx",
        r"indistinguishable: every event has at most $e^{\varepsilon}$ times the probability "
        r"that it has in the other, plus $\delta$, both ways",
    ),
    (
        r"\mathrm{abort}",
        r"\\mathrm\{abort\}",
        r"that a batch is refused",
    ),
    (
        r"\mathrm{presence}",
        r"\\mathrm\{presence\}",
        r"which reports are there, when, and what they show",
    ),
    (
        r"\mathrm{client} \circ \mathrm{service}",
        r"\\mathrm\{client\} \\circ \\mathrm\{service\}",
        r"the clients, and the service that answers from their reports",
    ),
    (
        r"\varepsilon_*,\ \delta_*",
        r"\\varepsilon_\*|\\delta_\*",
        r"the caps: what is promised, for everything that is ever answered",
    ),
    (
        r"\varepsilon_t,\ \delta_t",
        r"\\varepsilon_t|\\delta_t",
        r"the parameters of the query $t$",
    ),
    (
        r"\rho_i,\ \delta_i",
        r"\\rho_i|\\delta_i",
        r"the parameters of the $i$-th question",
    ),
    (
        r"\varepsilon',\ \delta'",
        r"\\varepsilon'|\\delta'",
        r"the parameters of the two ends",
    ),
    (
        r"\varepsilon,\ \delta",
        r"\\varepsilon|\\delta",
        r"the parameters of a privacy guarantee, or of one query",
    ),
    (
        r"\Lambda_1,\ \Lambda_0",
        r"\\Lambda_[01]",
        r"the contribution budget and the sparsity budget of a unit: how much and how often it"
        r" contributes",
    ),
    (
        r"\tau",
        r"\\tau",
        r"the threshold that a noisy sum must exceed to be released",
    ),
    (
        r"\theta_t",
        r"\\theta_t|\\theta",
        r"the rollout: the parameters $(\varepsilon, \delta)$ of step $t$ for the unit",
    ),
    (
        r"\Delta_i",
        r"\\Delta_i",
        r"the change of key $i$",
    ),
    (
        r"\Delta",
        r"\\Delta",
        r"the size of the change that is to be hidden",
    ),
    (
        r"\xi",
        r"\\xi",
        r"the noise, independent on every key",
    ),
    (
        r"\sigma",
        r"\\sigma",
        r"the parameter of Gaussian noise",
    ),
    (
        r"\rho",
        r"\\rho",
        r"the parameter of concentrated privacy",
    ),
    (
        r"\alpha_i",
        r"\\alpha_i",
        r"the weights of a mixture",
    ),
    (
        r"P_i,\ Q_i",
        r"[PQ]_i",
        r"pairs of laws",
    ),
    (
        r"\|\cdot\|_1",
        r"\\\|",
        r"the sum of absolute values",
    ),
    (
        r"D^{-x},\ D_t^{-x}",
        r"D(_t)?\^\{-x\}",
        r"the database, or that of step $t$, without the unit $x$",
    ),
    (
        r"D,\ D_t",
        r"D_[t1]|\bD\b",
        r"the database: what all units do; that of step $t$",
    ),
    (
        r"F_t",
        r"F_t",
        r"the law of the answer at step $t$",
    ),
    (
        r"S_t",
        r"S_t",
        r"the batch of query $t$",
    ),
    (
        r"S_{t-1}",
        r"S_\{t-1\}",
        r"the state before step $t$",
    ),
    (
        r"q_t",
        r"q_[t1]",
        r"the question of step $t$",
    ),
    (
        r"V_t,\ n_t",
        r"V_t|n_t",
        r"the value and the number of what the unit has in the batch of query $t$",
    ),
    (
        r"L_1(x),\ L_0(x)",
        r"L_[01]\(x\)",
        r"how much and how often the unit $x$ contributes",
    ),
    (
        r"t_1,\ t_2",
        r"t_[12]",
        r"the windows after which a device is emptied",
    ),
    (
        r"B',\ B",
        r"B'|\bB\b",
        r"the ledger after and before the query: what each report has spent",
    ),
    (
        r"T",
        r"T",
        r"the point at which noise is truncated",
    ),
    (
        r"e",
        r"\be\b(?=\^)",
        r"the base of natural logarithms",
    ),
    (
        r"|O|,\ O",
        r"\|?\bO\b\|?",
        r"the output set, and how many outputs it has",
    ),
    (
        r"o",
        r"(?<![A-Za-z\\])o(?![A-Za-z])",
        r"what the client sends",
    ),
    (
        r"X",
        r"(?<![A-Za-z\\])X(?![A-Za-z])",
        r"the noise on one key",
    ),
    (
        r"Y",
        r"(?<![A-Za-z\\])Y(?![A-Za-z])",
        r"the batch",
    ),
    (
        r"V",
        r"(?<![A-Za-z\\])V(?![A-Za-z])",
        r"the size of a change on all keys together",
    ),
    (
        r"f(v)",
        r"(?<![A-Za-z\\])f(?![A-Za-z])",
        r"the probability that truncated noise shows a change by $v$",
    ),
    (
        r"u,\ v",
        r"(?<![A-Za-z\\])[uv](?![A-Za-z])",
        r"the true sums with and without the unit",
    ),
    (
        r"a",
        r"(?<![A-Za-z\\])a(?![A-Za-z])",
        r"the rate of the noise",
    ),
    (
        r"b",
        r"(?<![A-Za-z\\])b(?![A-Za-z])",
        r"the base in whose logarithm $\varepsilon$ is counted",
    ),
    (
        r"c",
        r"(?<![A-Za-z\\])c(?![A-Za-z])",
        r"a bound that a power is compared with",
    ),
    (
        r"n,\ d",
        r"(?<![A-Za-z\\])[nd](?![A-Za-z])",
        r"the numerator and the denominator of an exponent",
    ),
    (
        r"k",
        r"(?<![A-Za-z\\])k(?![A-Za-z])",
        r"how many steps, or older sources, there are",
    ),
    (
        r"q",
        r"(?<![A-Za-z\\])q(?![A-Za-z])",
        r"the ratio of neighbouring masses of the noise",
    ),
    (
        r"r",
        r"(?<![A-Za-z\\])r(?![A-Za-z])",
        r"a report",
    ),
    (
        r"s",
        r"(?<![A-Za-z\\])s(?![A-Za-z])",
        r"in how many coordinates the sums change",
    ),
    (
        r"t",
        r"(?<![A-Za-z\\])t(?![A-Za-z])",
        r"the number of a query or step",
    ),
    (
        r"i",
        r"(?<![A-Za-z\\])i(?![A-Za-z])",
        r"the number of a part",
    ),
    (
        r"x",
        r"(?<![A-Za-z\\])x(?![A-Za-z])",
        r"a value that the noise takes",
    ),
    (
        r"z",
        r"(?<![A-Za-z\\])z(?![A-Za-z])",
        r"an outcome of the noise",
    ),
)
"""How a symbol is written, how it is found, and what it means."""

KNOWN = re.compile(
    r"\\(le|ge|in|wedge|neg|sum|ln|Pr|Rightarrow|iff|max|lfloor|rfloor|subseteq|dots|circ|mathrm"
    r"|[{}, |])|\\mathrm\{(vs|for|all)\}"
)
"""Signs that every reader knows."""


def defined(formula: str) -> tuple[list[tuple[str, str]], str]:
    """Return the symbols of a formula with their meanings, and what of it nobody defines."""
    found = []
    for symbol, pattern, meaning in SYMBOLS:
        formula, count = re.subn(pattern, " ", formula)
        if count:
            found.append((symbol, meaning))
    formula = re.sub(r"\\mathrm\{(vs|for\\ all)\}", " ", formula)
    rest = KNOWN.sub(" ", formula)
    return found, " ".join(re.findall(r"\\?[A-Za-z]+", rest))
