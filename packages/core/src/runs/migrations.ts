import type { Migration } from "../database/migrate.ts";

/** The schema of a profile's `state.db`, which contains operational data; knowledge is in files. */
export const stateMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "conversations, runs with their events, approvals and grants",
    up: `
      CREATE TABLE conversations (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        title_folded TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX conversations_by_update ON conversations (updated_at DESC, id DESC);

      CREATE TABLE processes (
        id TEXT PRIMARY KEY,
        machine TEXT NOT NULL,
        pid INTEGER NOT NULL,
        beat_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        goal_folded TEXT NOT NULL,
        status TEXT NOT NULL,
        steps INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        summary TEXT NOT NULL,
        context TEXT,
        request TEXT NOT NULL,
        -- The process that queued or claimed it; no reference: a process may be forgotten before its runs are looked after.
        owner TEXT,
        claimed INTEGER NOT NULL DEFAULT 0,
        cancel_requested INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX runs_by_status ON runs (status, id);
      CREATE INDEX runs_by_conversation ON runs (conversation_id, id);
      CREATE INDEX runs_in_hand ON runs (id) WHERE claimed = 1 OR status = 'queued';

      CREATE TABLE run_steps (
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        step INTEGER NOT NULL,
        entry TEXT NOT NULL,
        PRIMARY KEY (run_id, step)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE run_events (
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (run_id, seq)
      ) STRICT;

      CREATE TABLE messages (
        id TEXT PRIMARY KEY,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        run_id TEXT REFERENCES runs (id) ON DELETE CASCADE,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        text_folded TEXT NOT NULL,
        created_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX messages_by_conversation ON messages (conversation_id);
      CREATE INDEX messages_by_run ON messages (run_id);

      CREATE TABLE approvals (
        id TEXT PRIMARY KEY,
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        status TEXT NOT NULL,
        approval TEXT NOT NULL
      ) STRICT;
      CREATE INDEX approvals_by_run ON approvals (run_id, id);
      CREATE INDEX approvals_by_status ON approvals (status, id);

      CREATE TABLE grants (
        id TEXT PRIMARY KEY,
        grant_json TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    version: 2,
    name: "what models were asked in a run, and what people thought of it",
    up: `
      CREATE TABLE run_model_calls (
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        -- How many of its messages, from the first, are those of the run's last call for the same purpose.
        shared INTEGER NOT NULL,
        call TEXT NOT NULL,
        PRIMARY KEY (run_id, number)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE run_feedback (
        run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
        feedback TEXT NOT NULL
      ) STRICT;
    `,
  },
  {
    version: 3,
    name: "agents that work in the background: when they ran, what they told, what they keep",
    up: `
      CREATE TABLE agents (
        name TEXT PRIMARY KEY,
        since TEXT NOT NULL,
        memo TEXT
      ) STRICT;

      CREATE TABLE agent_runs (
        id TEXT PRIMARY KEY,
        agent TEXT NOT NULL,
        trigger TEXT NOT NULL,
        status TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        summary TEXT,
        problems TEXT,
        owner TEXT NOT NULL,
        machine TEXT NOT NULL,
        pid INTEGER NOT NULL,
        beat_at INTEGER NOT NULL,
        stop_requested INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX agent_runs_by_agent ON agent_runs (agent, id);
      CREATE UNIQUE INDEX agent_runs_one_at_a_time ON agent_runs (agent) WHERE status = 'running';

      CREATE TABLE agent_log (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        agent TEXT NOT NULL,
        run_id TEXT NOT NULL REFERENCES agent_runs (id) ON DELETE CASCADE,
        line TEXT NOT NULL
      ) STRICT;
      CREATE INDEX agent_log_by_agent ON agent_log (agent, seq);
      CREATE INDEX agent_log_by_run ON agent_log (run_id);
    `,
  },
  {
    version: 4,
    name: "uses of memories",
    up: `
      CREATE TABLE memory_uses (
        memory_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        run_id TEXT,
        note TEXT
      ) STRICT;
      CREATE INDEX memory_uses_by_memory ON memory_uses (memory_id, at);
      CREATE UNIQUE INDEX memory_uses_once_a_run ON memory_uses (memory_id, kind, run_id) WHERE run_id IS NOT NULL;
    `,
  },
  {
    version: 5,
    name: "how functions did: each run in which one was offered or used, and the sums",
    up: `
      CREATE TABLE function_uses (
        function_id TEXT NOT NULL,
        -- No reference: a run may be deleted before what was learned from it.
        run_id TEXT NOT NULL,
        offered INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        weight INTEGER NOT NULL,
        at TEXT NOT NULL,
        error TEXT,
        execution_ms REAL,
        planning_calls INTEGER,
        tokens INTEGER,
        PRIMARY KEY (function_id, run_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX function_uses_by_time ON function_uses (at);

      CREATE TABLE function_evidence (
        id TEXT PRIMARY KEY,
        usage_count INTEGER NOT NULL,
        offered_count INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        last_failure TEXT,
        last_used_at TEXT,
        useful_at TEXT
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 6,
    name: "summaries of long conversations",
    up: `
      CREATE TABLE conversation_summaries (
        conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
        text TEXT NOT NULL,
        -- The last message it covers.
        through TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 7,
    name: "leases that expire, and numbered claims",
    up: `
      ALTER TABLE processes RENAME TO leases;
      ALTER TABLE leases RENAME COLUMN id TO holder;
      ALTER TABLE leases RENAME COLUMN beat_at TO expires_at;
      UPDATE leases SET expires_at = expires_at + 15000;

      -- Grows with every claim of the run, and when a claim is taken from its holder.
      ALTER TABLE runs ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

      ALTER TABLE agent_runs DROP COLUMN machine;
      ALTER TABLE agent_runs DROP COLUMN pid;
      ALTER TABLE agent_runs DROP COLUMN beat_at;
    `,
  },
  {
    version: 8,
    name: "schedules' next moments, their ledger, and notices",
    up: `
      CREATE TABLE schedule_moments (
        schedule_id TEXT PRIMARY KEY,
        -- What next_at was computed from; another value means that the schedule was changed since.
        timing TEXT NOT NULL,
        next_at TEXT,
        -- Of the next moment: how daylight saving time moved it.
        note TEXT,
        -- In a row.
        failures INTEGER NOT NULL DEFAULT 0,
        conversation_id TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX schedule_moments_by_time ON schedule_moments (next_at);

      CREATE TABLE occurrences (
        schedule_id TEXT NOT NULL,
        due_at TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('due', 'running', 'succeeded', 'failed', 'missed', 'skipped')),
        started_at TEXT,
        ended_at TEXT,
        run_id TEXT,
        outcome TEXT,
        reason TEXT,
        attempt INTEGER NOT NULL DEFAULT 0,
        -- Of a due one: it does not start earlier.
        not_before TEXT,
        -- Of a running one: the holder of the lease.
        owner TEXT,
        PRIMARY KEY (schedule_id, due_at)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX occurrences_open ON occurrences (state, due_at) WHERE state IN ('due', 'running');
      CREATE INDEX occurrences_by_time ON occurrences (due_at);
      CREATE TRIGGER occurrences_are_final BEFORE UPDATE ON occurrences
        WHEN old.state IN ('succeeded', 'failed', 'missed', 'skipped')
        BEGIN SELECT RAISE(ABORT, 'the state of an ended occurrence is final'); END;

      CREATE TABLE attempts (
        schedule_id TEXT NOT NULL,
        due_at TEXT NOT NULL,
        n INTEGER NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        run_id TEXT,
        outcome TEXT,
        reason TEXT,
        model_calls INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (schedule_id, due_at, n)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE notices (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        link TEXT,
        urgency TEXT NOT NULL,
        dedupe_key TEXT UNIQUE,
        created_at TEXT NOT NULL,
        visible_at TEXT NOT NULL,
        read_at TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notices_unread ON notices (visible_at) WHERE read_at IS NULL;

      CREATE TABLE notice_deliveries (
        notice_id TEXT NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
        channel TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
        attempts INTEGER NOT NULL DEFAULT 0,
        -- Of a pending one: when to try next.
        not_before TEXT NOT NULL,
        error TEXT,
        at TEXT,
        PRIMARY KEY (notice_id, channel)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notice_deliveries_pending ON notice_deliveries (not_before) WHERE state = 'pending';
    `,
  },
  {
    version: 9,
    name: "pinned conversations",
    up: `
      ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
      DROP INDEX conversations_by_update;
      CREATE INDEX conversations_in_order ON conversations (pinned DESC, updated_at DESC, id DESC);
    `,
  },
  {
    version: 10,
    name: "watched pages",
    up: `
      CREATE TABLE watched_pages (
        -- The schedule; empty for what a person asked for.
        watcher TEXT NOT NULL,
        url TEXT NOT NULL,
        -- What the person was told of before the last look.
        told_text TEXT,
        told_at TEXT,
        -- What the last look found, and the run that looked.
        seen_text TEXT NOT NULL,
        seen_at TEXT NOT NULL,
        seen_by TEXT NOT NULL,
        looked_at TEXT NOT NULL,
        PRIMARY KEY (watcher, url)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER watched_pages_of_deleted_schedules AFTER DELETE ON schedule_moments
        BEGIN DELETE FROM watched_pages WHERE watcher = old.schedule_id; END;
    `,
  },
  {
    version: 11,
    name: "watched pages of deleted runs",
    up: `
      -- What a run found that was not answered has not been told.
      CREATE TRIGGER watched_pages_of_deleted_runs BEFORE DELETE ON runs
        WHEN coalesce(json_extract(old.summary, '$.outcome'), '') <> 'answered'
        BEGIN
          DELETE FROM watched_pages WHERE seen_by = old.id AND told_text IS NULL;
          UPDATE watched_pages SET seen_text = told_text, seen_at = told_at WHERE seen_by = old.id;
        END;
    `,
  },
];
