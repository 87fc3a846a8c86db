"""Gather the evidence of campaigns and judge their figure of merit."""
