import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

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
