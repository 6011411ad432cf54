"""Gang placement at one instant as a linear model: columns, rows and objective levels."""
