import type { Migration } from "../migrate.ts";

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
