"""Campaigns as traces and metrics of OpenTelemetry."""
