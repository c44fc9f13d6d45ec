"""How good a model is: metrics, harness and tables."""
