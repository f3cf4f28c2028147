"""From an untrusted file to typed rows or a refusal with its code: nothing that is uploaded is opened by a data engine.

gate (is it a small regular file of text?) -> worker, a child process (UTF-8, limits, personal fields, the formats) ->
judge (names, cards, flags) -> store (accepted or quarantine) -> rows, what a build loads. This module imports nothing:
the child process imports the package too, and has to stay small.
"""
