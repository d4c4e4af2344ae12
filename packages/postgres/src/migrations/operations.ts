import type { Migration } from "../migrate.ts";
import { profileTable } from "./profile-table.ts";

export const operations: Migration = {
  version: 2,
  name: "background agents, schedules' ledger, notices, uses of memories and functions, watched pages",
  up: [
    profileTable(
      "agents",
      `name text COLLATE "C" NOT NULL,
       since text COLLATE "C" NOT NULL,
       memo text,
       PRIMARY KEY (profile, name)`,
    ),
    profileTable(
      "agent_runs",
      `id text COLLATE "C" NOT NULL,
       agent text COLLATE "C" NOT NULL,
       trigger text COLLATE "C" NOT NULL,
       status text COLLATE "C" NOT NULL,
       started_at text COLLATE "C" NOT NULL,
       ended_at text COLLATE "C",
       summary text,
       problems text,
       owner text COLLATE "C" NOT NULL,
       stop_requested boolean NOT NULL DEFAULT false,
       PRIMARY KEY (profile, id)`,
    ),
    "CREATE INDEX agent_runs_by_agent ON agent_runs (profile, agent, id);",
    "CREATE UNIQUE INDEX agent_runs_one_at_a_time ON agent_runs (profile, agent) WHERE status = 'running';",
    profileTable(
      "agent_log",
      `seq bigint GENERATED ALWAYS AS IDENTITY,
       agent text COLLATE "C" NOT NULL,
       run_id text COLLATE "C" NOT NULL,
       line jsonb NOT NULL,
       PRIMARY KEY (profile, seq),
       FOREIGN KEY (profile, run_id) REFERENCES agent_runs ON DELETE CASCADE`,
    ),
    "CREATE INDEX agent_log_by_agent ON agent_log (profile, agent, run_id, seq);",
    "CREATE INDEX agent_log_by_run ON agent_log (profile, run_id);",
    profileTable(
      "memory_uses",
      `place bigint GENERATED ALWAYS AS IDENTITY,
       memory_id text COLLATE "C" NOT NULL,
       kind text COLLATE "C" NOT NULL,
       at float8 NOT NULL,
       run_id text COLLATE "C",
       note text,
       PRIMARY KEY (profile, place)`,
    ),
    "CREATE INDEX memory_uses_by_memory ON memory_uses (profile, memory_id, at);",
    "CREATE INDEX memory_uses_by_run ON memory_uses (profile, run_id) WHERE run_id IS NOT NULL;",
    `CREATE UNIQUE INDEX memory_uses_once_a_run ON memory_uses (profile, memory_id, kind, run_id)
       WHERE run_id IS NOT NULL;`,
    profileTable(
      "function_uses",
      `function_id text COLLATE "C" NOT NULL,
       -- No reference: a run may be deleted before what was learned from it.
       run_id text COLLATE "C" NOT NULL,
       offered integer NOT NULL,
       outcome text COLLATE "C" NOT NULL,
       weight integer NOT NULL,
       at text COLLATE "C" NOT NULL,
       error text,
       execution_ms float8,
       planning_calls integer,
       tokens integer,
       PRIMARY KEY (profile, function_id, run_id)`,
    ),
    "CREATE INDEX function_uses_by_time ON function_uses (profile, at);",
    profileTable(
      "function_evidence",
      `id text COLLATE "C" NOT NULL,
       usage_count integer NOT NULL,
       offered_count integer NOT NULL,
       successes integer NOT NULL,
       failures integer NOT NULL,
       last_failure text,
       last_used_at text COLLATE "C",
       useful_at text COLLATE "C",
       PRIMARY KEY (profile, id)`,
    ),
    profileTable(
      "schedule_moments",
      `schedule_id text COLLATE "C" NOT NULL,
       -- What next_at was computed from; another value means that the schedule was changed since.
       timing text NOT NULL,
       next_at text COLLATE "C",
       -- Of the next moment: how daylight saving time moved it.
       note text,
       -- In a row.
       failures integer NOT NULL DEFAULT 0,
       conversation_id text COLLATE "C",
       PRIMARY KEY (profile, schedule_id)`,
    ),
    "CREATE INDEX schedule_moments_by_time ON schedule_moments (profile, next_at);",
    profileTable(
      "occurrences",
      `schedule_id text COLLATE "C" NOT NULL,
       due_at text COLLATE "C" NOT NULL,
       state text COLLATE "C" NOT NULL
         CHECK (state IN ('due', 'running', 'succeeded', 'failed', 'missed', 'skipped')),
       started_at text COLLATE "C",
       ended_at text COLLATE "C",
       run_id text COLLATE "C",
       outcome text,
       reason text,
       attempt integer NOT NULL DEFAULT 0,
       -- Of a due one: it does not start earlier.
       not_before text COLLATE "C",
       -- Of a running one: the holder of the lease.
       owner text COLLATE "C",
       PRIMARY KEY (profile, schedule_id, due_at)`,
    ),
    "CREATE INDEX occurrences_open ON occurrences (profile, state, due_at) WHERE state IN ('due', 'running');",
    "CREATE INDEX occurrences_by_time ON occurrences (profile, due_at);",
    `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'the state of an ended occurrence is final'; END $$;
     CREATE TRIGGER occurrences_are_final BEFORE UPDATE ON occurrences FOR EACH ROW
       WHEN (old.state IN ('succeeded', 'failed', 'missed', 'skipped')) EXECUTE FUNCTION refuse_change();`,
    profileTable(
      "attempts",
      `schedule_id text COLLATE "C" NOT NULL,
       due_at text COLLATE "C" NOT NULL,
       n integer NOT NULL,
       started_at text COLLATE "C" NOT NULL,
       ended_at text COLLATE "C",
       run_id text COLLATE "C",
       outcome text,
       reason text,
       model_calls integer NOT NULL DEFAULT 0,
       tokens integer NOT NULL DEFAULT 0,
       PRIMARY KEY (profile, schedule_id, due_at, n)`,
    ),
    profileTable(
      "notices",
      `id text COLLATE "C" NOT NULL,
       title text NOT NULL,
       body text NOT NULL,
       link text,
       urgency text COLLATE "C" NOT NULL,
       dedupe_key text COLLATE "C",
       created_at text COLLATE "C" NOT NULL,
       visible_at text COLLATE "C" NOT NULL,
       read_at text COLLATE "C",
       PRIMARY KEY (profile, id),
       UNIQUE (profile, dedupe_key)`,
    ),
    "CREATE INDEX notices_in_order ON notices (profile, visible_at DESC, id DESC);",
    "CREATE INDEX notices_unread ON notices (profile, visible_at) WHERE read_at IS NULL;",
    profileTable(
      "notice_deliveries",
      `notice_id text COLLATE "C" NOT NULL,
       channel text COLLATE "C" NOT NULL,
       state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
       attempts integer NOT NULL DEFAULT 0,
       -- Of a pending one: when to try next.
       not_before text COLLATE "C" NOT NULL,
       error text,
       at text COLLATE "C",
       PRIMARY KEY (profile, notice_id, channel),
       FOREIGN KEY (profile, notice_id) REFERENCES notices ON DELETE CASCADE`,
    ),
    `CREATE INDEX notice_deliveries_pending ON notice_deliveries (profile, not_before) WHERE state = 'pending';`,
    profileTable(
      "watched_pages",
      `-- The schedule; empty for what a person asked for.
       watcher text COLLATE "C" NOT NULL,
       url text COLLATE "C" NOT NULL,
       -- What the person was told of before the last look.
       told_text text,
       told_at text COLLATE "C",
       -- What the last look found, and the run that looked.
       seen_text text NOT NULL,
       seen_at text COLLATE "C" NOT NULL,
       seen_by text COLLATE "C" NOT NULL,
       looked_at text COLLATE "C" NOT NULL,
       PRIMARY KEY (profile, watcher, url)`,
    ),
    "CREATE INDEX watched_pages_by_run ON watched_pages (profile, seen_by);",
    `CREATE FUNCTION forget_watched_pages() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN
         DELETE FROM watched_pages WHERE profile = old.profile AND watcher = old.schedule_id;
         RETURN NULL;
       END $$;
     CREATE TRIGGER watched_pages_of_deleted_schedules AFTER DELETE ON schedule_moments
       FOR EACH ROW EXECUTE FUNCTION forget_watched_pages();`,
    // A result of a run that was not answered has not been reported.
    `CREATE FUNCTION take_back_watched_pages() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN
         DELETE FROM watched_pages WHERE profile = old.profile AND seen_by = old.id AND told_text IS NULL;
         UPDATE watched_pages SET seen_text = told_text, seen_at = told_at
           WHERE profile = old.profile AND seen_by = old.id;
         RETURN old;
       END $$;
     CREATE TRIGGER watched_pages_of_deleted_runs BEFORE DELETE ON runs FOR EACH ROW
       WHEN (coalesce(old.summary ->> 'outcome', '') <> 'answered') EXECUTE FUNCTION take_back_watched_pages();`,
  ].join("\n"),
};

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
