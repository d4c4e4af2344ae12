import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const audit: Migration = {
  version: 5,
  name: "audit logs",
  up: [
    // One chain for each profile. A line is the exact text that its hash covers.
    profileTable(
      "audit_lines",
      `seq bigint NOT NULL,
       at text COLLATE "C" NOT NULL,
       event text COLLATE "C" NOT NULL,
       run_id text COLLATE "C",
       line text NOT NULL,
       -- In lower case, without the number and the hash.
       content text NOT NULL,
       PRIMARY KEY (profile, seq)`,
    ),
    "CREATE INDEX audit_lines_by_event ON audit_lines (profile, event, seq);",
    "CREATE INDEX audit_lines_by_run ON audit_lines (profile, run_id, seq) WHERE run_id IS NOT NULL;",
    // The end of each chain: the lock of its writers, and what shows that lines were removed.
    profileTable(
      "audit_ends",
      `seq bigint NOT NULL,
       hash text NOT NULL,
       -- The first signed line; null without a signature.
       signed_since bigint,
       key text,
       signature text,
       PRIMARY KEY (profile)`,
    ),
    "REVOKE UPDATE, DELETE ON audit_lines FROM metahuman_profile;",
  ].join("\n"),
};
