"""The dashboard: Streamlit pages over the planner's use cases."""
