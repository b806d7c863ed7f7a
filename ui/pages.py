"""The pages, in the order of the sidebar."""

from typing import Literal

import streamlit as st

TITLES = {
    "pages/explore.py": "Explore",
    "pages/merge.py": "Merge",
    "pages/gaps.py": "Gaps",
    "pages/model.py": "Model",
    "pages/compare.py": "Compare",
    "pages/studies.py": "Studies",
    "pages/theory.py": "Theory",
    "pages/paper.py": "Paper",
}


def navigation(position: Literal["top", "hidden"]) -> st.Page:
    """The page that was asked for; the first is the one that a bare address opens."""
    pages = [st.Page(file, title=title, default=not i) for i, (file, title) in enumerate(TITLES.items())]
    return st.navigation(pages, position=position)


def begin_with_app() -> None:
    """Run app.py, and from it the page that was asked for.

    When the first visit to a new server asks for a page, Streamlit has not seen app.py yet and runs
    the page's own script alone, without the sidebar. Naming the pages tells it that app.py comes first.
    """
    navigation("hidden")
    st.rerun()
