import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const answerParts: Migration = {
  version: 9,
  name: "answers that are being written",
  up: [
    profileTable(
      "answer_parts",
      `run_id text COLLATE "C" NOT NULL,
       attempt integer NOT NULL,
       place integer NOT NULL,
       text text NOT NULL,
       PRIMARY KEY (profile, run_id, attempt, place)`,
    ),
    // A crash may lose them: the complete answer is an event of its run.
    "ALTER TABLE answer_parts SET UNLOGGED;",
    // The event that ends an answer deletes its parts in the same transaction.
    `CREATE FUNCTION forget_answer_parts() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN
         DELETE FROM answer_parts WHERE profile = new.profile AND run_id = new.run_id;
         RETURN NULL;
       END $$;
     CREATE TRIGGER parts_of_complete_answers AFTER INSERT ON run_events FOR EACH ROW
       WHEN (new.event ->> 'type' IN ('answer-completed', 'run-interrupted', 'run-ended'))
       EXECUTE FUNCTION forget_answer_parts();`,
  ].join("\n"),
};
