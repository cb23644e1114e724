CREATE TABLE experiment (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    env TEXT NOT NULL,
    agent TEXT NOT NULL,
    seed TEXT NOT NULL,               -- up to 2^64 - 1: beyond SQLite's integers
    config TEXT NOT NULL,             -- resolved, as TOML
    unit TEXT NOT NULL CHECK (unit IN ('episodes', 'steps')),
    budget INTEGER NOT NULL,
    evaluation TEXT NOT NULL,         -- times x episodes
    panel TEXT NOT NULL,
    grouping TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
    error TEXT,
    again INTEGER NOT NULL DEFAULT 0, -- whether a failed run is worth another try
    version TEXT,
    machine TEXT,
    started INTEGER,                  -- seconds since 1970
    finished INTEGER,
    episodes INTEGER,
    steps INTEGER,
    updates INTEGER,
    first_reward_episode INTEGER,
    solved_episode INTEGER,
    mean_return_last_100 REAL,
    seconds REAL,
    weights_sha256 TEXT,
    UNIQUE (env, agent, seed)
);

CREATE TABLE episodes (
    run INTEGER NOT NULL REFERENCES runs (number),
    episode INTEGER NOT NULL,
    return REAL NOT NULL,
    length INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    loss REAL,
    value REAL,
    sigma REAL,
    spread REAL,
    PRIMARY KEY (run, episode)
) WITHOUT ROWID;

CREATE TABLE evaluations (
    run INTEGER NOT NULL REFERENCES runs (number),
    episode INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    mean_return REAL NOT NULL,
    PRIMARY KEY (run, episode)
) WITHOUT ROWID;

-- How long the work took, which no two runs agree on: not part of the records.
CREATE TABLE timing (
    run INTEGER NOT NULL REFERENCES runs (number),
    steps INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (run, steps)
) WITHOUT ROWID;

-- The curves of finished runs, so that a report need not read every episode.
CREATE TABLE curves (
    run INTEGER NOT NULL REFERENCES runs (number),
    bin INTEGER NOT NULL,
    episodes INTEGER NOT NULL,
    mean_return REAL NOT NULL,
    mean_length REAL NOT NULL,
    sigma REAL,
    spread REAL,
    PRIMARY KEY (run, bin)
) WITHOUT ROWID;
