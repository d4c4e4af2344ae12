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
