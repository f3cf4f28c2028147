"""Arithmetic of the guides' statements: formulas over named values, evaluated without running code."""
