"""From an untrusted file to typed rows or a refusal with its code: nothing that is uploaded is opened by a data engine.

precheck (a small regular file of text?) -> sandbox with worker, a child process (decoding, redaction, formats, validation) ->
annotate (names, GPUs, flags) -> store (accepted or quarantine) -> load_accepted, the rows of a build. This module imports
nothing: the child process imports the package too, and has to stay small.
"""
