"""Ask a learner, and judge the answer."""
