import type { Migration } from "../database/migrate.ts";

/** The schema of `profiles/system.db`. Expiry times are milliseconds of the monotonic clock; other times are ISO 8601. */
export const accountSchema: readonly Migration[] = [
  {
    version: 1,
    name: "accounts, sessions, tokens, sign-in limits",
    up: `
      CREATE TABLE account (
        username TEXT PRIMARY KEY,
        role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
        password TEXT NOT NULL,
        created_at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Secrets are kept as their SHA-256 only: whoever reads this file cannot sign in with it.
      CREATE TABLE session (
        hash BLOB PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        username TEXT NOT NULL REFERENCES account (username) ON DELETE CASCADE,
        started INTEGER NOT NULL,
        used INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX session_username ON session (username);

      CREATE TABLE token (
        hash BLOB PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        username TEXT NOT NULL REFERENCES account (username) ON DELETE CASCADE,
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,
        used_at TEXT,
        UNIQUE (username, name)
      ) STRICT, WITHOUT ROWID;

      -- Attempts to sign in, by what they count towards.
      CREATE TABLE login_limit (
        key TEXT PRIMARY KEY,
        points INTEGER NOT NULL DEFAULT 0,
        expire INTEGER
      ) STRICT;

      -- The latest time seen by the clock of expiry; one row.
      CREATE TABLE clock (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        latest INTEGER NOT NULL
      ) STRICT;
      INSERT INTO clock VALUES (1, 0);
    `,
  },
  {
    version: 2,
    name: "scope and expiry of tokens, guests of public profiles",
    up: `
      -- Tokens made before there were scopes keep all rights.
      ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT 'manage' CHECK (scope IN ('read', 'operate', 'manage'));
      -- In the clock of expiry.
      ALTER TABLE token ADD COLUMN expires INTEGER;

      ALTER TABLE account ADD COLUMN is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1));
      ALTER TABLE session ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0 CHECK (is_guest IN (0, 1));
    `,
  },
  {
    version: 3,
    name: "when each profile has something to do next",
    up: `
      CREATE TABLE next_moment (
        username TEXT PRIMARY KEY REFERENCES account (username) ON DELETE CASCADE,
        -- ISO 8601.
        at TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
];
