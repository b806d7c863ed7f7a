"""Text from outside, made harmless."""

LONGEST = 240


def plain(text: str) -> str:
    """Markdown that shows the text as it is, cut when long: nothing a visitor typed becomes markup."""
    text = " ".join(text.split())
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() and c != " " else c for c in text)
