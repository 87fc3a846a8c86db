"""Commands about the instances of a campaign."""
