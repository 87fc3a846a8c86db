"""The process of the driver: identity, place, log, detached or in a job."""
