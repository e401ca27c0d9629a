"""The smallest repair of a program: candidates, costs, an exact search among them, and the patch that makes it."""
