import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import { type FileCatalog, openFileColumns } from "../../memory/index/file-records.ts";
import { jsonColumn } from "../../database/rows.ts";
import { successBound } from "../upkeep/success-bound.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import type { UsageCounters, Scope } from "./protocol.ts";

/** The ranking data of one function. */
export interface FunctionFacts {
  id: string;
  path: string;
  /** Of the file when it was indexed. */
  stamp: string;
  hash: string;
  kind: string;
  title: string;
  skills: string[];
  uses: number;
  executions: number;
  successes: number;
  success: number;
  usefulAt: string | null;
}

/** The file of each entry, with its list and ranking data. Callers provide the transaction. */
export interface FunctionTable extends FileCatalog {
  put(item: number, filed: { function: StoredFunction; path: string; stamp: string; hash: string }): void;
  pathsIn(folder: ""): string[];
  locate(scope: Scope, id: string): string | undefined;
  locateName(scope: Scope, name: string): string | undefined;
  /** The agents that have functions of this user. */
  agents(userId: string): string[];
  /** In no particular order; unknown ids are left out. */
  describe(ids: readonly string[]): FunctionFacts[];
  setEvidence(row: UsageCounters): void;
}

const Path = z.object({ path: z.string() });

export function openFunctionTable(database: Database): FunctionTable {
  const upsert = database.command(
    `INSERT INTO records (item, path, stamp, hash, preview, agent, user, name, title, title_folded, kind, trust, status, skills, created_at, updated_at)
     VALUES (:item, :path, :stamp, :hash, :preview, :agent, :user, :name, :title, :folded, :kind, :trust, :status, :skills, :createdAt, :updatedAt)
     ON CONFLICT (item) DO UPDATE SET path = excluded.path, stamp = excluded.stamp, hash = excluded.hash, preview = excluded.preview,
       agent = excluded.agent, user = excluded.user, name = excluded.name, title = excluded.title, title_folded = excluded.title_folded,
       kind = excluded.kind, trust = excluded.trust, status = excluded.status, skills = excluded.skills, created_at = excluded.created_at, updated_at = excluded.updated_at`,
  );
  const paths = database.query("SELECT path FROM records", Path);
  const locate = database.query(
    `SELECT path FROM records JOIN entries USING (item) WHERE entries.id = :id AND (:agentId = '*' OR agent = :agentId) AND user = :userId`,
    Path,
  );
  const locateName = database.query(
    `SELECT path FROM records WHERE (:agentId = '*' OR agent = :agentId) AND user = :userId AND name = :name
     ORDER BY agent = 'operator' DESC, agent LIMIT 1`,
    Path,
  );
  const agents = database.query(
    "SELECT DISTINCT agent FROM records WHERE user = ? ORDER BY agent",
    z.object({ agent: z.string() }),
  );
  const describe = database.query(
    `SELECT entries.id, records.path, stamp, hash, records.kind, title, skills, coalesce(uses, 0) AS uses, coalesce(executions, 0) AS executions,
       coalesce(successes, 0) AS successes, coalesce(success, 0.0) AS success, useful_at AS usefulAt
     FROM json_each(?) AS wanted JOIN entries ON entries.id = wanted.value JOIN records USING (item)
     LEFT JOIN evidence ON evidence.id = entries.id`,
    z.object({
      id: z.string(),
      path: z.string(),
      stamp: z.string(),
      hash: z.string(),
      kind: z.string(),
      title: z.string(),
      skills: jsonColumn(z.array(z.string())),
      uses: z.int(),
      executions: z.int(),
      successes: z.int(),
      success: z.number(),
      usefulAt: z.string().nullable(),
    }),
  );
  const setEvidence = database.command(
    `INSERT OR REPLACE INTO evidence (id, uses, executions, successes, success, useful_at)
     VALUES (:id, :uses, :executions, :successes, :success, :usefulAt)`,
  );

  return {
    ...openFileColumns(database),
    put(item, { function: stored, path, stamp, hash }) {
      const { scope, name, title, kind, trust, status, skillsUsed, createdAt, updatedAt } = stored;
      upsert.run({
        item,
        path,
        stamp,
        hash,
        preview: embeddedText(stored),
        agent: scope.agentId,
        user: scope.userId,
        name,
        title,
        folded: title.normalize("NFKC").toLowerCase(),
        kind,
        trust,
        status,
        skills: JSON.stringify(skillsUsed),
        createdAt,
        updatedAt,
      });
    },
    pathsIn: () => paths.all().map(({ path }) => path),
    locate: (scope, id) => locate.get({ ...scope, id })?.path,
    locateName: (scope, name) => locateName.get({ ...scope, name })?.path,
    agents: (userId) => agents.all(userId).map(({ agent }) => agent),
    describe: (ids) => describe.all(JSON.stringify(ids)),
    setEvidence: (row) => void setEvidence.run({ ...row, success: successBound(row) }),
  };
}

/** Later text contains little about a function's purpose. */
const EMBEDDED_CHARACTERS = 2_000;

/** The text to embed: the purpose first, then the steps. */
function embeddedText({ title, summary, examples, tags, steps, code }: StoredFunction): string {
  return [title, summary, ...examples.map(({ prompt }) => prompt), ...tags, ...steps, code?.source ?? ""]
    .join("\n")
    .slice(0, EMBEDDED_CHARACTERS)
    .toWellFormed();
}

/** The text for the word search: all text of a function, including its code. */
export function searchedText(stored: StoredFunction): string {
  const { name, title, summary, examples, tags, steps, parameters, skillsUsed, recipe, code } = stored;
  return [
    title,
    name,
    summary,
    ...tags,
    ...steps,
    ...examples.map(({ prompt }) => prompt),
    ...(recipe?.promptTemplates ?? []),
    ...parameters.flatMap((parameter) => [parameter.name, parameter.description]),
    ...skillsUsed,
    code?.source ?? "",
  ].join("\n");
}
