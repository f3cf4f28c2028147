"""The machine that a run measures: devices, driver, number formats and memory limits."""
