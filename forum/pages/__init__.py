"""What pages share: addresses, remembered rows and frames, refusals."""
