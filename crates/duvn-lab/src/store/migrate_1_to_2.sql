ALTER TABLE runs ADD COLUMN watch TEXT NOT NULL DEFAULT ''; -- episodes, with commas between them

-- What the agent of a watched run believes of every state and action.
CREATE TABLE beliefs (
    run INTEGER NOT NULL REFERENCES runs (number),
    episode INTEGER NOT NULL,
    state INTEGER NOT NULL,
    action INTEGER NOT NULL,
    mean REAL NOT NULL,
    sigma REAL NOT NULL,
    spread REAL NOT NULL,
    probability REAL NOT NULL,
    PRIMARY KEY (run, episode, state, action)
) WITHOUT ROWID;
