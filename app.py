"""PPE Lab in the browser: `streamlit run app.py`."""

import streamlit as st

from ui import controls, jobs

st.set_page_config(page_title="PPE Lab", page_icon=":material/water:", layout="wide")
page = st.navigation([st.Page("pages/explore.py", title="Explore", icon=":material/water:", default=True)])
jobs.pool()  # starts the workers, which import the engine while the visitor still reads
with st.sidebar:
    controls.show()
page.run()
