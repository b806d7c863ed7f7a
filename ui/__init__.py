"""Everything Streamlit that more than one page needs."""
