"""From a claim to what shows it: a button that loads a preset and opens a page."""

import streamlit as st

from ui import presets


def show_me(what: str, preset: str, page: str) -> None:
    """Load a preset and open the page that shows it best."""
    if st.button(f"Show me: {what}", icon=":material/visibility:", on_click=presets.load, args=(preset,)):
        st.switch_page(f"pages/{page}.py")
