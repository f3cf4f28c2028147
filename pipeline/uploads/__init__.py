"""From an untrusted file to typed rows or a refusal with its code: nothing that is uploaded is opened by a data engine.

precheck (a small regular file of text?) -> sandbox with its child process, worker (decoding, redaction, formats, validation)
-> annotate (names, GPUs, flags) -> store (accepted or quarantine). Builds read the store with load_accepted.
This module imports nothing: the child process imports the package too, and has to stay small.
"""
