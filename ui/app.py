"""Entry point of ``streamlit run ui/app.py -- [SNAPSHOT…]``.

The guard matters: the search's child process loads this file again under another name and must not start a page.
"""

if __name__ == "__main__":
    from ui.application import run

    run()
