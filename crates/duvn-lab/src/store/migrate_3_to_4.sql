ALTER TABLE runs ADD COLUMN place INTEGER NOT NULL DEFAULT 0;   -- in the plan, from 0
ALTER TABLE runs ADD COLUMN isa TEXT;                           -- the instruction sets that computed it, the first one first
ALTER TABLE runs ADD COLUMN starts INTEGER NOT NULL DEFAULT 0;  -- how often it was begun since something was last recorded
ALTER TABLE runs ADD COLUMN former TEXT NOT NULL DEFAULT '';    -- the ids it had with smaller budgets, with commas between them
ALTER TABLE runs ADD COLUMN episodes_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN evaluations_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN beliefs_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN timing_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN curves_sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN seal TEXT NOT NULL DEFAULT '';      -- of all other columns
ALTER TABLE runs ADD COLUMN judgement TEXT;                     -- what the beliefs of a finished run amount to, as JSON
UPDATE runs SET place = number - 1;
-- The description of the machine has always ended with the instruction set.
UPDATE runs SET isa = lower(substr(machine, instr(machine, 'kernels for ') + 12)) WHERE instr(machine, 'kernels for ') > 0;
