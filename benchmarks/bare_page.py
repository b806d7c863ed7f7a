"""A bare Streamlit page with one slider and one plotly chart: what the pages of PPE Lab are held against."""

import plotly.graph_objects as go
import streamlit as st

value = st.slider("Value", 0, 100, 10)
st.plotly_chart(go.Figure(go.Scatter(y=[value, value + 1, value]), layout={"title": {"text": f"Value {value}"}}))
