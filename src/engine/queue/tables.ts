/**
 * What workers share in addition to the journal, in a separate schema. Every time in it is the server's: the clocks of the
 * workers' machines are never compared.
 */
export const tables = `
CREATE SCHEMA IF NOT EXISTS charrette;

CREATE TABLE IF NOT EXISTS charrette.workers (
  worker text PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  labels text[] NOT NULL,
  places jsonb NOT NULL,
  code_version text NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  beat timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE IF NOT EXISTS charrette.runs (
  run text PRIMARY KEY,
  workflow text NOT NULL,
  title text NOT NULL,
  code_version text NOT NULL,
  repository text NOT NULL,
  clone text NOT NULL,
  travels boolean NOT NULL,
  base_commit text,
  agents text[] NOT NULL,
  labels text[] NOT NULL,
  priority integer NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'waiting', 'ended')),
  worker text,
  at_clone text,
  epoch bigint NOT NULL DEFAULT 0,
  note text,
  queued timestamptz NOT NULL DEFAULT clock_timestamp(),
  taken timestamptz,
  ended timestamptz
);
ALTER TABLE charrette.runs ADD COLUMN IF NOT EXISTS bound text;
ALTER TABLE charrette.runs ADD COLUMN IF NOT EXISTS forgotten timestamptz;
CREATE INDEX IF NOT EXISTS runs_queued ON charrette.runs (priority DESC, queued, run) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS runs_open ON charrette.runs (worker) WHERE state IN ('running', 'waiting');
CREATE INDEX IF NOT EXISTS runs_taken ON charrette.runs (taken);
CREATE INDEX IF NOT EXISTS runs_ended ON charrette.runs (ended) WHERE state = 'ended' AND forgotten IS NULL;

CREATE TABLE IF NOT EXISTS charrette.messages (
  id bigserial PRIMARY KEY,
  run text NOT NULL REFERENCES charrette.runs ON DELETE CASCADE,
  body jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_run ON charrette.messages (run);

CREATE TABLE IF NOT EXISTS charrette.turns (
  agent text NOT NULL,
  call text NOT NULL,
  worker text NOT NULL REFERENCES charrette.workers ON DELETE CASCADE,
  PRIMARY KEY (agent, call)
);
CREATE INDEX IF NOT EXISTS turns_worker ON charrette.turns (worker);

CREATE TABLE IF NOT EXISTS charrette.turn_starts (
  agent text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX IF NOT EXISTS turn_starts_at ON charrette.turn_starts (agent, at);

CREATE TABLE IF NOT EXISTS charrette.files (
  run text NOT NULL REFERENCES charrette.runs ON DELETE CASCADE,
  path text NOT NULL,
  position bigint NOT NULL,
  bytes bytea NOT NULL,
  digest text NOT NULL,
  change bigint NOT NULL,
  PRIMARY KEY (run, path, position)
);
CREATE INDEX IF NOT EXISTS files_change ON charrette.files (run, change);
CREATE SEQUENCE IF NOT EXISTS charrette.changes;
`;

/** Numbers of the advisory locks that keep decisions of several workers apart. */
export const locks = { tables: 7_301, claim: 7_302, turns: 7_303, answers: 7_304 } as const;
