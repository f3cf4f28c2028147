"""Load of a language model: a use of llm_use, or the same kind of requests with a reader's own lengths and number."""

from dataclasses import dataclass, replace

import duckdb


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Requests in progress with the lengths of each. A stored load is that of the use, for which the tables have speeds."""

    use: str
    prompt_tokens: int
    output_tokens: int
    concurrency: float
    may_wait: bool = False
    is_stored: bool = True

    @property
    def tokens(self) -> int:
        """Tokens of one request."""
        return self.prompt_tokens + self.output_tokens

    def __str__(self) -> str:
        several = "s" if self.may_wait else "s at a time" if self.concurrency > 1 else ""
        lengths = f"{self.prompt_tokens:,} + {self.output_tokens:,} tokens (prompt + output)"
        return f"{self.concurrency:,.0f} request{several} of {lengths}"


def read_loads(con: duckdb.DuckDBPyConnection) -> dict[str, Load]:
    """Return the load of each use."""
    rows = con.execute("SELECT use, prompt_tokens, output_tokens, concurrency, may_wait FROM llm_use ORDER BY use").fetchall()
    return {
        use: Load(use=use, prompt_tokens=prompt, output_tokens=output, concurrency=requests, may_wait=may_wait)
        for use, prompt, output, requests, may_wait in rows
    }


def change_load(load: Load, context_tokens: int, users: int) -> Load:
    """Return the load with this many users and tokens per request, of which prompt and output have the shares of the use."""
    output = max(1, round(context_tokens * load.output_tokens / load.tokens))
    lengths = (load.prompt_tokens, load.output_tokens) if context_tokens == load.tokens else (context_tokens - output, output)
    changed = replace(load, prompt_tokens=max(1, lengths[0]), output_tokens=lengths[1], concurrency=float(users))
    return replace(changed, is_stored=changed == load)
