"""Files of this machine in, the pipeline's own decisions out, without a stack."""
