"""Text from outside, made harmless."""

GLUE = "\N{WORD JOINER}"  # invisible; an address with one in it does not become a link
HEAD, TAIL = 90, 170  # what is kept of a long text: its beginning, and the end that says what is allowed


def plain(text: str) -> str:
    """Markdown that shows the text as it is, cut when long: nothing a visitor typed becomes markup."""
    text = " ".join(text.split())
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]} … {text[-TAIL:]}"
    return literal(text)


def literal(text: str) -> str:
    """Markdown that shows the text as it is, whole."""
    for sign in ("://", "www.", "@"):
        text = text.replace(sign, f"{sign[:-1]}{GLUE}{sign[-1]}")
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() and c != " " else c for c in text)
