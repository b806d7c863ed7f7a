"""Records as plotly figures: pure functions without Streamlit and without torch."""
