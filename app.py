"""PPE Lab in the browser: `streamlit run app.py`."""

import streamlit as st

from ui import controls, jobs

# A file of our own: Streamlit would fetch a named icon from the internet.
st.set_page_config(page_title="PPE Lab", page_icon="ui/favicon.svg", layout="wide")
page = st.navigation([st.Page("pages/explore.py", title="Explore", default=True)])
jobs.pool()  # starts the workers, which import the engine while the visitor still reads
st.html("<style>.stMainBlockContainer {padding: 3.5rem max(1rem, 3vw) 3rem}</style>")  # more room for the figures
with st.sidebar:
    controls.show()
page.run()
