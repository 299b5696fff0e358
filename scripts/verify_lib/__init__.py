"""What scripts/verify.py is made of: parts and their steps, where they belong, runs that can be stopped, and what they said."""
