"""Charts as SVG text: no browser, no script, no font file. Colours come from the page's style sheet by class.

Every state has a pattern besides its colour and every chart a title and a description, so that none needs colour
vision. The palette is that of Okabe and Ito ("Color Universal Design", 2008).
"""
