"""PPE Lab in the browser: `streamlit run app.py`."""

import streamlit as st

from ppe_core.experiments.errors import Unusable
from ui import controls, jobs
from ui.text import plain

# A file of our own: Streamlit would fetch a named icon from the internet.
st.set_page_config(page_title="PPE Lab", page_icon="ui/favicon.svg", layout="wide")
page = st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", default=True),
        st.Page("pages/merge.py", title="Merge"),
    ]
)
try:
    jobs.pool()  # starts the workers, which import the engine while the visitor still reads
except (Unusable, ValueError) as problem:
    st.error(f"PPE Lab cannot work as it was started: {plain(str(problem))}", icon=":material/block:")
    st.stop()
st.html("<style>.stMainBlockContainer {padding: 3.5rem max(1rem, 3vw) 3rem}</style>")  # more room for the figures
with st.sidebar:
    controls.show()
page.run()
