"""Online demand ahead: history on a regular grid, quantile forecasts, margins, and what may be lent of it."""
