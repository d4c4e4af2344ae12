import { join } from "node:path";
import { describeAgentStore } from "@metahuman/core/agents/agent-store.suite";
import { describeAuditLog } from "@metahuman/core/audit/audit-log.suite";
import { MODEL_KEYS } from "@metahuman/core/config/model-keys";
import { describeModelKeys } from "@metahuman/core/config/model-keys.suite";
import { openSealer } from "@metahuman/core/config/sealed-secrets";
import { describeConfigSource } from "@metahuman/core/config/config-source.suite";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { describeEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table.suite";
import { describeFunctions } from "@metahuman/core/functions/functions-port.suite";
import { createTestFunctions } from "@metahuman/core/functions/testing/open-test-functions";
import { describeMemoryUses } from "@metahuman/core/memory/evolution/memory-uses.suite";
import { describeMemoryPort } from "@metahuman/core/memory/memory-port.suite";
import { describeRecordStorage } from "@metahuman/core/memory/store/record-storage.suite";
import type { MemoryStorage } from "@metahuman/core/memory/store/record-storage";
import { createTestProfile, type TestProfile } from "@metahuman/core/memory/testing/open-test-memory";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import { describeNotices } from "@metahuman/core/notices/notice-port.suite";
import { describeProfileChannels } from "@metahuman/core/notices/profile-channels.suite";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import { describeAccounts } from "@metahuman/core/profiles/accounts.suite";
import { describeProfileStore } from "@metahuman/core/profiles/profile-store.suite";
import { createPasswords } from "@metahuman/core/profiles/password";
import type { AccountsHarness } from "@metahuman/core/profiles/testing/accounts-harness";
import { fastPasswordWork } from "@metahuman/core/profiles/testing/test-accounts";
import { describeOccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger.suite";
import { describeRunStore, describeSharedRunStore } from "@metahuman/core/runs/run-store.suite";
import { describeWatchedPages } from "@metahuman/core/schedules/watched-pages.suite";
import { describeRecordCopies } from "@metahuman/core/transfer/record-copies.suite";
import { describeCopies } from "@metahuman/core/transfer/copies.suite";
import { openPostgresAccounts } from "../accounts/open-accounts.ts";
import { openPostgresAgentCopies } from "../agents/agent-copies.ts";
import { openPostgresAgentStore } from "../agents/open-agent-store.ts";
import { openPostgresAuditLog } from "../audit/open-audit-log.ts";
import { openPostgresConfig } from "../config/open-config.ts";
import { openPostgresModelKeys, readModelKeys } from "../installation/model-keys.ts";
import { openPostgresEvidence } from "../evidence/open-evidence-table.ts";
import { openPostgresMemoryUses } from "../evidence/open-memory-uses.ts";
import { openPostgresNotices } from "../notices/open-notices.ts";
import { openProfileDocuments, type ProfileDocuments } from "../profiles/open-profile-documents.ts";
import { openPostgresRecordCopies } from "../records/record-copies.ts";
import { openPostgresRecords } from "../records/open-records.ts";
import { openPostgresRunStore } from "../runs/open-run-store.ts";
import { openPostgresRunCopies } from "../runs/run-copies.ts";
import { openPostgresLedger } from "../schedules/open-occurrence-ledger.ts";
import { openPostgresWatchedPages } from "../schedules/watched-pages.ts";
import type { DatabaseHarness } from "./harness.ts";

const close = async () => undefined;
const SECRET_KEY = { METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };

/** Tests every port that the database implements. */
export function describePorts(name: string, open: () => Promise<DatabaseHarness>): void {
  describeAccounts(name, () => new PostgresAccountsHarness(open));

  describeWatchedPages(name, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    return {
      pages: openPostgresWatchedPages(database, profile),
      runs: openPostgresRunStore(database, profile),
      ledger: openPostgresLedger(database, profile),
      close,
    };
  });

  describeAuditLog(name, async () => {
    const { database, newProfile, setTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresAuditLog(database, profile), setTime, close };
  });

  describeConfigSource(name, async () => {
    const { database } = await open();
    await database.inSystem((session) => session.run("DELETE FROM config_sections"));
    const source = await openPostgresConfig(database, { shippedEtc: join(REPOSITORY, "etc") });
    return {
      source,
      save: (text) => source.saveSection("runtime", text),
      close: async () => source.close(),
    };
  });

  describeProfileStore(name, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    const documents: ProfileDocuments[] = [];
    return {
      async open() {
        const opened = await openProfileDocuments(database, profile, {
          username: "greg",
          folder: "/profiles/greg",
          displayName: "Greg",
        });
        documents.push(opened);
        return opened.store;
      },
      close: async () => documents.forEach((opened) => opened.close()),
    };
  });

  describeProfileChannels(name, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    const documents: ProfileDocuments[] = [];
    return {
      async open() {
        const options = { username: "greg", folder: "/profiles/greg" };
        const opened = await openProfileDocuments(database, profile, options);
        documents.push(opened);
        return opened.channels;
      },
      close: async () => documents.forEach((opened) => opened.close()),
    };
  });

  describeModelKeys(name, async () => {
    const { database } = await open();
    const sealer = openSealer("", SECRET_KEY, MODEL_KEYS);
    return {
      async open() {
        const known = await database.inSystem(readModelKeys);
        return openPostgresModelKeys(database, { sealer, known: () => known });
      },
      close,
    };
  });

  const runStores = async () => {
    const { database, newProfile, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresRunStore(database, profile), passTime, close };
  };
  describeRunStore(name, runStores);
  describeSharedRunStore(name, runStores);
  describeAgentStore(name, async () => {
    const { database, newProfile, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresAgentStore(database, profile), passTime, close };
  });

  describeOccurrenceLedger(name, async () => {
    const { database, newProfile, now, passTime } = await open();
    const profile = newProfile();
    return { open: async () => openPostgresLedger(database, profile), now, passTime, close };
  });

  describeNotices(name, async () => {
    const { database, newProfile, now, passTime } = await open();
    const profile = newProfile();
    return {
      open: async () =>
        openPostgresNotices(database, profile, {
          channels: (urgency) => (urgency === "low" ? [] : ["webhook"]),
        }),
      now,
      passTime,
      close,
    };
  });

  describeEvidenceTable(name, async () => {
    const { database, newProfile } = await open();
    return {
      here: openPostgresEvidence(database, newProfile()),
      elsewhere: openPostgresEvidence(database, newProfile()),
      close,
    };
  });

  describeMemoryUses(name, async () => {
    const { database, newProfile } = await open();
    return { uses: openPostgresMemoryUses(database, newProfile()), close: () => undefined };
  });

  describeRecords(name, open);

  describeCopies(name, async () => {
    const { database, newProfile } = await open();
    const place = (profile: string) => ({
      runs: openPostgresRunStore(database, profile),
      runCopies: openPostgresRunCopies(database, profile),
      agents: openPostgresAgentStore(database, profile),
      agentCopies: openPostgresAgentCopies(database, profile),
    });
    return { from: place(newProfile()), to: place(newProfile()), close };
  });
}

/** Tests the storages of records, each opened by two processes. */
function describeRecords(name: string, open: () => Promise<DatabaseHarness>): void {
  describeRecordStorage(`memories ${name}`, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    const opened = [await createTestProfile(), await createTestProfile()] as const;
    const storageIn = async (test: TestProfile) => {
      const storage = Promise.withResolvers<MemoryStorage>();
      await test.open({
        async storage(place) {
          const memories = await openPostgresRecords(database, profile).memories(place);
          storage.resolve(memories);
          return memories;
        },
      });
      return await storage.promise;
    };
    return {
      here: await storageIn(opened[0]),
      elsewhere: await storageIn(opened[1]),
      newRecord: newRecords.memory,
      recordOf: ({ record }) => record,
      close: async () => void (await Promise.all(opened.map((test) => test.remove()))),
    };
  });

  describeMemoryPort(name, async () => {
    const { database, newProfile } = await open();
    const storage = openPostgresRecords(database, newProfile()).memories;
    const processes: TestProfile[] = [];
    return {
      async open(options) {
        const test = await createTestProfile();
        processes.push(test);
        return await test.open({ ...options, storage });
      },
      close: async () => void (await Promise.all(processes.map((test) => test.remove()))),
    };
  });

  describeFunctions(name, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    const evidence = openPostgresEvidence(database, profile);
    const storage = openPostgresRecords(database, profile).functions;
    const here = await createTestFunctions({ storage, evidence });
    const elsewhere = await createTestFunctions({ storage, evidence });
    return {
      here,
      elsewhere,
      async close() {
        await here.remove();
        await elsewhere.remove();
      },
    };
  });

  describeRecordCopies(name, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    const records = openPostgresRecords(database, profile);
    const memory = await createTestProfile();
    const functions = await createTestFunctions({
      storage: records.functions,
      evidence: openPostgresEvidence(database, profile),
    });
    return {
      copies: openPostgresRecordCopies(database, profile),
      empty: openPostgresRecordCopies(database, newProfile()),
      memory: await memory.open({ storage: records.memories }),
      tasks: records.tasks,
      schedules: records.schedules,
      functions: (await functions.open()).functions.of(),
      async close() {
        await memory.remove();
        await functions.remove();
      },
    };
  });

  describeRecordStorage(`tasks ${name}`, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    return {
      here: openPostgresRecords(database, profile).tasks,
      elsewhere: openPostgresRecords(database, profile).tasks,
      newRecord: newRecords.task,
      recordOf: (task) => task,
      close,
    };
  });

  describeRecordStorage(`schedules ${name}`, async () => {
    const { database, newProfile } = await open();
    const profile = newProfile();
    return {
      here: openPostgresRecords(database, profile).schedules,
      elsewhere: openPostgresRecords(database, profile).schedules,
      newRecord: newRecords.schedule,
      recordOf: (schedule) => schedule,
      close,
    };
  });
}

/** Accounts in a database that the harnesses of one test file use one after the other. */
class PostgresAccountsHarness implements AccountsHarness {
  settings = {
    session: { idleTimeoutMs: 1_000_000, absoluteTimeoutMs: 5_000_000 },
    login: { attempts: 3, windowMs: 60_000 },
  };
  readonly #open: () => Promise<DatabaseHarness>;
  readonly #opened: Accounts[] = [];
  #harness: DatabaseHarness | undefined;

  constructor(openDatabase: () => Promise<DatabaseHarness>) {
    this.#open = openDatabase;
  }

  async open(): Promise<Accounts> {
    this.#harness ??= await this.#openEmpty();
    const accounts = await openPostgresAccounts(this.#harness.database, {
      settings: () => this.settings,
      passwords: createPasswords(fastPasswordWork),
      profiles: {
        requireNone: async () => undefined,
        create: async () => undefined,
        remove: async () => undefined,
      },
    });
    this.#opened.push(accounts);
    return accounts;
  }

  async #openEmpty(): Promise<DatabaseHarness> {
    const harness = await this.#open();
    await harness.database.inSystem(async (session) => {
      await session.run("DELETE FROM accounts");
      await session.run("DELETE FROM login_limits");
      await session.run("UPDATE account_state SET setup_code = NULL");
    });
    return harness;
  }

  pass(ms: number): void {
    this.#harness?.passTime(ms);
  }

  now(): number {
    return this.#harness?.now().getTime() ?? 0;
  }

  remove(): void {
    for (const accounts of this.#opened) accounts.close();
  }
}
