"""Predictors of what an action does: symbolic, memory, language model, diffusion."""
