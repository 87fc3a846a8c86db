"""Split the slot-time of a campaign into useful and lost parts."""
