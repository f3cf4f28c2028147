"""Tests of the way from an untrusted file to rows or a refusal."""
