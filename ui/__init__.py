"""Everything Streamlit that more than one page needs.

Pandas is imported before anything else: plotly takes it from the modules that are there, and while one
visitor's thread is still importing it, another's would find half of it.
"""

import pandas as pandas
