"""What each Spark class does to its inputs, a family a module. Pure."""
