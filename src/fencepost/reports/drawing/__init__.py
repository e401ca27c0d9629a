"""The picture of an execution graph: what is drawn (select), where (place), and along which curves (route)."""
