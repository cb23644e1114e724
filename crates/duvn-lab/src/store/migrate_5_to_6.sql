-- What an episode would have earned without noise in its rewards. Episodes of earlier versions do not say.
ALTER TABLE episodes ADD COLUMN denoised REAL;
