import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const runs: Migration = {
  version: 1,
  name: "leases, conversations, runs with their events, approvals and permissions",
  up: [
    profileTable(
      "leases",
      `holder text COLLATE "C" NOT NULL,
       expires_at float8 NOT NULL,
       PRIMARY KEY (profile, holder)`,
    ),
    // Changes of each holder, so that others notice them with one read.
    profileTable(
      "commits",
      `holder text COLLATE "C" NOT NULL,
       count bigint NOT NULL,
       at float8 NOT NULL,
       PRIMARY KEY (profile, holder)`,
    ),
    profileTable(
      "conversations",
      `id text COLLATE "C" NOT NULL,
       title text NOT NULL,
       title_folded text NOT NULL,
       created_at text COLLATE "C" NOT NULL,
       updated_at text COLLATE "C" NOT NULL,
       pinned boolean NOT NULL DEFAULT false,
       PRIMARY KEY (profile, id)`,
    ),
    "CREATE INDEX conversations_in_order ON conversations (profile, pinned DESC, updated_at DESC, id DESC);",
    profileTable(
      "runs",
      `id text COLLATE "C" NOT NULL,
       conversation_id text COLLATE "C" NOT NULL,
       goal_folded text NOT NULL,
       status text COLLATE "C" NOT NULL,
       steps integer NOT NULL DEFAULT 0,
       last_seq integer NOT NULL DEFAULT 0,
       summary jsonb NOT NULL,
       context jsonb,
       request jsonb NOT NULL,
       -- The holder that queued or claimed it; no reference: a lease may be forgotten before its runs are looked after.
       owner text COLLATE "C",
       claimed boolean NOT NULL DEFAULT false,
       cancel_requested boolean NOT NULL DEFAULT false,
       -- Grows with every claim of the run, and when a claim is taken from its holder.
       fence integer NOT NULL DEFAULT 0,
       PRIMARY KEY (profile, id),
       FOREIGN KEY (profile, conversation_id) REFERENCES conversations ON DELETE CASCADE`,
    ),
    "CREATE INDEX runs_by_status ON runs (profile, status, id);",
    "CREATE INDEX runs_by_conversation ON runs (profile, conversation_id, id);",
    "CREATE INDEX runs_in_hand ON runs (profile, id) WHERE claimed OR status = 'queued';",
    profileTable(
      "run_steps",
      `run_id text COLLATE "C" NOT NULL,
       step integer NOT NULL,
       entry jsonb NOT NULL,
       PRIMARY KEY (profile, run_id, step),
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
    profileTable(
      "run_events",
      `run_id text COLLATE "C" NOT NULL,
       seq integer NOT NULL,
       event jsonb NOT NULL,
       PRIMARY KEY (profile, run_id, seq),
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
    profileTable(
      "messages",
      `id text COLLATE "C" NOT NULL,
       place bigint GENERATED ALWAYS AS IDENTITY,
       conversation_id text COLLATE "C" NOT NULL,
       run_id text COLLATE "C",
       role text COLLATE "C" NOT NULL,
       text text NOT NULL,
       text_folded text NOT NULL,
       created_at text COLLATE "C" NOT NULL,
       PRIMARY KEY (profile, id),
       FOREIGN KEY (profile, conversation_id) REFERENCES conversations ON DELETE CASCADE,
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
    "CREATE INDEX messages_by_conversation ON messages (profile, conversation_id, place);",
    "CREATE INDEX messages_by_run ON messages (profile, run_id, place);",
    profileTable(
      "conversation_summaries",
      `conversation_id text COLLATE "C" NOT NULL,
       text text NOT NULL,
       -- The last message it covers.
       through text COLLATE "C" NOT NULL,
       PRIMARY KEY (profile, conversation_id),
       FOREIGN KEY (profile, conversation_id) REFERENCES conversations ON DELETE CASCADE`,
    ),
    profileTable(
      "approvals",
      `id text COLLATE "C" NOT NULL,
       run_id text COLLATE "C" NOT NULL,
       status text COLLATE "C" NOT NULL,
       approval jsonb NOT NULL,
       PRIMARY KEY (profile, id),
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
    "CREATE INDEX approvals_by_run ON approvals (profile, run_id, id);",
    "CREATE INDEX approvals_by_status ON approvals (profile, status, id);",
    profileTable(
      "grants",
      `id text COLLATE "C" NOT NULL,
       body jsonb NOT NULL,
       PRIMARY KEY (profile, id)`,
    ),
    profileTable(
      "run_model_calls",
      `run_id text COLLATE "C" NOT NULL,
       number integer NOT NULL,
       -- How many of its messages, from the first, are those of the run's last call for the same purpose.
       shared integer NOT NULL,
       call jsonb NOT NULL,
       PRIMARY KEY (profile, run_id, number),
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
    profileTable(
      "run_feedback",
      `run_id text COLLATE "C" NOT NULL,
       feedback jsonb NOT NULL,
       PRIMARY KEY (profile, run_id),
       FOREIGN KEY (profile, run_id) REFERENCES runs ON DELETE CASCADE`,
    ),
  ].join("\n"),
};

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
