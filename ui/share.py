"""Links to give away: one that opens the page as it is, and one for a class that shows the result alone."""

from urllib.parse import urlencode

import streamlit as st

from ui import controls, link, state

VIEWS = ("all", "demo")
OF_PAGES = set(link.PAGE_NAMES) - {"view"}


def open_view() -> None:
    """The first time in a session: whether the link asks for one thing only. Needs the link to be open."""
    link.first_value(state.VIEW, "view", "all", _read)


def is_demo() -> bool:
    """Whether controls and everything beside the one thing are hidden."""
    return st.session_state.get(state.VIEW) == "demo"


def show() -> None:
    with st.popover("Share", icon=":material/share:", width="stretch"):
        st.markdown("**This page**, every setting and the seed included:")
        st.code(_address(), language=None, wrap_lines=True)
        st.markdown("**For a class**: the result alone, without controls:")
        st.code(_address(view="demo"), language=None, wrap_lines=True)


def show_way_out() -> None:
    """From the view for a class to the whole page."""
    st.link_button("Open with all controls", _address(), icon=":material/tune:", type="tertiary")


def _address(**more: str) -> str:
    there = {name: value for name, value in st.query_params.to_dict().items() if name in OF_PAGES}
    return f"{st.context.url or ''}?{urlencode(link.parameters(controls.config()) | there | more)}"


def _read(text: str) -> str:
    if text not in VIEWS:
        raise ValueError(f"{text!r} is not one of {', '.join(VIEWS)}")
    return text
