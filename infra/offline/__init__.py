"""Local files in, the pipeline's own decisions out, without a stack."""
