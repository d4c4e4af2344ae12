import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const records: Migration = {
  version: 7,
  name: "records: memories, tasks, functions, schedules, and their archive",
  up: [
    // The number of a profile's last change. A transaction that changes records locks this row until its commit, so that a change
    // is never visible before one with a smaller number.
    profileTable(
      "record_heads",
      `seq bigint NOT NULL,
       -- Another value for every profile that was ever made: a copy of an earlier one must not be continued.
       epoch uuid NOT NULL DEFAULT gen_random_uuid(),
       PRIMARY KEY (profile)`,
    ),
    profileTable(
      "records",
      `kind text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       -- The number of its last change.
       seq bigint NOT NULL,
       -- Where a copy or an export has its file, relative to the folder of its kind.
       path text COLLATE "C" NOT NULL,
       -- Null once it was removed: copies learn of it.
       body jsonb,
       version integer GENERATED ALWAYS AS (coalesce((body ->> 'version')::integer, 1)) STORED,
       PRIMARY KEY (profile, kind, id)`,
    ),
    "CREATE INDEX records_by_change ON records (profile, kind, seq);",
    profileTable(
      "record_archive",
      `kind text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       record_id text COLLATE "C" NOT NULL,
       path text COLLATE "C" NOT NULL,
       body jsonb NOT NULL,
       entry jsonb NOT NULL,
       -- Its order.
       place bigint GENERATED ALWAYS AS IDENTITY,
       PRIMARY KEY (profile, kind, id)`,
    ),
    "CREATE INDEX record_archive_by_record ON record_archive (profile, kind, record_id);",
    // The parts of a record: the versions and proposals of a function.
    profileTable(
      "record_parts",
      `kind text COLLATE "C" NOT NULL,
       record_id text COLLATE "C" NOT NULL,
       name text COLLATE "C" NOT NULL,
       body jsonb NOT NULL,
       PRIMARY KEY (profile, kind, record_id, name)`,
    ),
    // Who may change the records of a kind that are decided about together.
    profileTable(
      "record_locks",
      `kind text COLLATE "C" NOT NULL,
       -- Grows with every holder; sent with every write.
       number bigint NOT NULL,
       expires_at float8 NOT NULL,
       PRIMARY KEY (profile, kind)`,
    ),
  ].join("\n"),
};

export const embeddings: Migration = {
  version: 8,
  name: "embeddings of memories",
  up: [
    profileTable(
      "embeddings",
      `record_id text COLLATE "C" NOT NULL,
       embedder text COLLATE "C" NOT NULL,
       text_hash text COLLATE "C" NOT NULL,
       -- Numbers of four bytes, the lowest byte first.
       vector bytea NOT NULL,
       PRIMARY KEY (profile, record_id, embedder)`,
    ),
    `CREATE FUNCTION forget_embeddings() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN
         DELETE FROM embeddings WHERE profile = old.profile AND record_id = old.id;
         RETURN NULL;
       END $$;
     CREATE TRIGGER embeddings_of_removed_memories AFTER UPDATE OF body ON records FOR EACH ROW
       WHEN (old.kind = 'memory' AND new.body IS NULL) EXECUTE FUNCTION forget_embeddings();
     CREATE TRIGGER embeddings_of_deleted_memories AFTER DELETE ON records FOR EACH ROW
       WHEN (old.kind = 'memory') EXECUTE FUNCTION forget_embeddings();`,
  ].join("\n"),
};
