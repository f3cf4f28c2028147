"""Charts as Altair specifications over plain rows, one module per subject.

A chart fills the width it is given. Colors come from the theme (light or dark), never from a chart, and no
information depends on color alone. Pages decide where a chart is shown, and write its text.
"""
