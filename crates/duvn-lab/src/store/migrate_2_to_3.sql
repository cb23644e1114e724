ALTER TABLE runs ADD COLUMN until_solved INTEGER NOT NULL DEFAULT 0; -- whether it ends with the episode that solves the task
