"""The `hookviz` command: open the tutorials in JupyterLab, record a script."""
