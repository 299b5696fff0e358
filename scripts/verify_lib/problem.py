class Problem(Exception):
    """What a user has to put right; told without a trace."""
