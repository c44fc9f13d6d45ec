"""Planning with a world model: the MPC loop, the searches, belief sampling and objectives."""
