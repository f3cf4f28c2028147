"""Measuring: the project itself (`project`). What is measured on cards comes in as data, through sources."""
