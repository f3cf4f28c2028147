"""One module per benchmark tool: text in, typed runs out, without files or network. `detection` finds the tools of a text."""
