import { z } from "zod";
import { AgentCopy } from "@metahuman/core/agents/agent-copies";
import type { AuditKey } from "@metahuman/core/audit/signed-chain";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import { ProfileChannels } from "@metahuman/core/contract/channels";
import { Persona, ProfileSettings } from "@metahuman/core/contract/profile";
import { EvidenceCopy } from "@metahuman/core/functions/upkeep/evidence-table";
import { ConversationCopy, RunCopy } from "@metahuman/core/runs/run-copy";
import type { ProfileCopies } from "@metahuman/core/transfer/profile-copies";
import type { WorkspaceCopies } from "@metahuman/core/workspace/workspace-copies";
import {
  allRows,
  type OperationalCopies,
  type OperationalRow,
  type OperationalTable,
  rowSchema,
} from "@metahuman/core/transfer/operational-tables";
import { openPostgresAgentCopies } from "../agents/agent-copies.ts";
import { openPostgresAuditCopies } from "../audit/audit-copies.ts";
import { openPostgresEvidence } from "../evidence/open-evidence-table.ts";
import { openPostgresMemoryUses } from "../evidence/open-memory-uses.ts";
import type { Postgres } from "../open-postgres.ts";
import { openPostgresRecordCopies } from "../records/record-copies.ts";
import { openPostgresRunCopies } from "../runs/run-copies.ts";
import { jsonText, type Parameter } from "../session.ts";

const DocumentRow = z.object({ name: z.string(), body: z.unknown() });

/** All data of a profile in the database, with its files in `workspace`. */
export function openPostgresProfileCopies(
  database: Postgres,
  profile: string,
  { auditKey, sealer, workspace }: { auditKey: AuditKey; sealer: SecretSealer; workspace: WorkspaceCopies },
): ProfileCopies {
  const runs = openPostgresRunCopies(database, profile);
  const agents = openPostgresAgentCopies(database, profile);
  const evidence = openPostgresEvidence(database, profile);
  return {
    async documents() {
      const rows = await database.inProfile(profile, (session) =>
        session.all(DocumentRow, "SELECT name, body FROM profile_documents WHERE profile = :profile"),
      );
      const bodies = new Map(rows.map(({ name, body }) => [name, body]));
      return {
        settings: ProfileSettings.parse(bodies.get("settings")),
        persona: Persona.parse(bodies.get("persona")),
        channels: ProfileChannels.parse(bodies.get("channels") ?? {}),
      };
    },
    async putDocuments(documents) {
      await database.inProfile(profile, async (session) => {
        for (const [name, body] of Object.entries(documents))
          await session.run(
            "INSERT INTO profile_documents (profile, name, body) VALUES (:profile, :name, :body::jsonb)",
            { name, body: jsonText(body) },
          );
      });
    },
    openSecret: (sealed, purpose) => sealer.open(sealed, purpose),
    sealSecret: (secret, purpose) => sealer.seal(secret, purpose),
    records: openPostgresRecordCopies(database, profile),
    runs: {
      ...runs,
      restoreConversation: (copy, options) =>
        runs.restoreConversation(storable(ConversationCopy, copy), options),
      migrateRun: (copy) => runs.migrateRun(storable(RunCopy, copy)),
    },
    agents: { ...agents, restore: (copy) => agents.restore(storable(AgentCopy, copy)) },
    evidence: { ...evidence, restore: (copy) => evidence.restore(storable(EvidenceCopy, copy)) },
    uses: openPostgresMemoryUses(database, profile),
    tables: openPostgresOperationalCopies(database, profile),
    audit: openPostgresAuditCopies(database, profile, auditKey),
    workspace,
  };
}

/** Returns the value; U+FFFD replaces each character that the database cannot store. */
function storable<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): z.output<Schema> {
  const text = jsonText(value);
  return text === JSON.stringify(value) ? value : schema.parse(JSON.parse(text));
}

/** The operational tables of a profile in the database. U+FFFD replaces each character that it cannot store. */
function openPostgresOperationalCopies(database: Postgres, profile: string): OperationalCopies {
  return {
    rows(table) {
      const { name, key, columns } = table;
      const schema = rowSchema(table);
      const lastKey = key.map((column) => `:${KEY_PARAMETERS[key.indexOf(column)]}`).join(", ");
      return allRows(table, (last, limit) =>
        database.inProfile(profile, (session) =>
          session.all(
            schema,
            `SELECT ${Object.keys(columns).join(", ")} FROM ${name}
             WHERE profile = :profile AND (${key.join(", ")}) > (${lastKey}) ORDER BY ${key.join(", ")} LIMIT :limit`,
            { limit, ...keyParameters(table, last) },
          ),
        ),
      );
    },
    async put({ name, columns }, rows) {
      await database.inProfile(profile, (session) =>
        session.run(
          `INSERT INTO ${name} (profile, ${Object.keys(columns).join(", ")})
           SELECT :profile, row.* FROM jsonb_to_recordset(:rows::jsonb) AS row (${columnList(columns)})`,
          { rows: jsonText(rows) },
        ),
      );
    },
  };
}

/** The names of the SQL parameters for the columns of a key, in their order. */
const KEY_PARAMETERS = ["first", "second", "third"];

function keyParameters({ key }: OperationalTable, row: OperationalRow): Record<string, Parameter> {
  const parameters: Record<string, Parameter> = {};
  for (const [index, parameter] of KEY_PARAMETERS.entries()) {
    const column = key[index];
    if (column !== undefined) parameters[parameter] = row[column] ?? null;
  }
  return parameters;
}

function columnList(columns: OperationalTable["columns"]): string {
  return Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(", ");
}
