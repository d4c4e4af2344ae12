import type { Migration } from "../migrate.ts";

/** Tables of no profile: the role of profiles has no rights on them. Expiry times are milliseconds since 1970. */
export const accounts: Migration = {
  version: 3,
  name: "accounts, sessions, tokens, sign-in limits, next moments",
  up: `
    CREATE TABLE accounts (
      username text COLLATE "C" PRIMARY KEY,
      role text NOT NULL CHECK (role IN ('owner', 'member')),
      password text NOT NULL,
      created_at text COLLATE "C" NOT NULL,
      is_public boolean NOT NULL DEFAULT false
    );
    -- Secrets are kept as their SHA-256 only: whoever reads these rows cannot sign in with them.
    CREATE TABLE sessions (
      hash text COLLATE "C" PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      username text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      started float8 NOT NULL,
      used float8 NOT NULL,
      is_guest boolean NOT NULL DEFAULT false
    );
    CREATE INDEX sessions_by_account ON sessions (username);
    CREATE TABLE tokens (
      hash text COLLATE "C" PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      username text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      created_at text COLLATE "C" NOT NULL,
      used_at text COLLATE "C",
      scope text NOT NULL CHECK (scope IN ('read', 'operate', 'manage')),
      expires float8,
      UNIQUE (username, name)
    );
    CREATE TABLE login_limits (
      key text COLLATE "C" PRIMARY KEY,
      points integer NOT NULL,
      expire float8 NOT NULL
    );
    CREATE INDEX login_limits_by_time ON login_limits (expire);
    -- One row: the code of the first setup, the latest time that was seen, and how often sessions or tokens were ended.
    CREATE TABLE account_state (
      id integer PRIMARY KEY CHECK (id = 1),
      setup_code text,
      latest float8 NOT NULL DEFAULT 0,
      ends integer NOT NULL DEFAULT 0
    );
    INSERT INTO account_state (id) VALUES (1);
    CREATE TABLE next_moments (
      username text COLLATE "C" PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
      -- ISO 8601.
      at text COLLATE "C" NOT NULL
    );
    CREATE INDEX next_moments_by_time ON next_moments (at);
  `,
};
