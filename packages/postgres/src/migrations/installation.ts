import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const installation: Migration = {
  version: 6,
  name: "settings and channels of profiles, keys of model servers, removed profiles",
  up: [
    profileTable(
      "profile_documents",
      `name text COLLATE "C" NOT NULL,
       body jsonb NOT NULL,
       -- Another number for each change.
       version bigint GENERATED ALWAYS AS IDENTITY,
       PRIMARY KEY (profile, name)`,
    ),
    // Encrypted with a key from the environment.
    'CREATE TABLE model_keys (id text COLLATE "C" PRIMARY KEY, sealed jsonb NOT NULL);',
    // How often accounts of this name were removed. Their rows stay, under a name that no new account has.
    'CREATE TABLE removed_profiles (username text COLLATE "C" PRIMARY KEY, count integer NOT NULL);',
    // One row: what shows a server that it has another secret key or another shared folder than the others.
    `CREATE TABLE installation (
       id integer PRIMARY KEY CHECK (id = 1),
       key_check jsonb,
       folder_mark text
     );
     INSERT INTO installation (id) VALUES (1);`,
  ].join("\n"),
};

/** The configuration of the installation, which belongs to no profile. */
export const configuration: Migration = {
  version: 4,
  name: "configuration",
  up: `
    CREATE TABLE config_sections (
      section text COLLATE "C" PRIMARY KEY,
      text text NOT NULL,
      -- Another number for each change.
      version bigint GENERATED ALWAYS AS IDENTITY
    );
  `,
};

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
