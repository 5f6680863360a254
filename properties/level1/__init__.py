"""Attribution Level 1 put to the test: broken rules, and games solved exactly."""
