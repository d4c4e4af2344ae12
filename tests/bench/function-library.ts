import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperatorConfig } from "@metahuman/core/contract/config";
import { openDatabase } from "@metahuman/core/database/open-database";
import type { FunctionVerifier } from "@metahuman/core/functions/functions-port";
import { openFunctions, type OpenedFunctions } from "@metahuman/core/functions/open-functions";
import { openEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { functionPath } from "@metahuman/core/functions/store/function-files";
import type { StoredFunction } from "@metahuman/core/functions/store/stored-function";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";

/** A labelled document as a function. */
export interface LibraryDocument {
  id: string;
  title: string;
  text: string;
  isCode: boolean;
}

/** Stores documents as verified functions of a profile. Returns their ids by function. */
export function fileFunctions(
  paths: ProfilePaths,
  documents: readonly LibraryDocument[],
): Map<string, string> {
  const idOf = new Map<string, string>();
  const at = "2026-11-01T00:00:00.000Z";
  for (const [number, { id, title, text, isCode }] of documents.entries()) {
    const functionId = `func-20261101-${number.toString(36).padStart(6, "0")}`;
    const stored: StoredFunction = {
      id: functionId,
      name: `function-${number}`,
      title: title.slice(0, 200),
      summary: isCode ? "" : text.slice(0, 2_000),
      tags: [],
      steps: isCode ? ["Run it."] : text.split("\n").slice(0, 100),
      skillsUsed: [],
      examples: [],
      parameters: [],
      kind: isCode ? "code" : "guide",
      ...(isCode && {
        code: { language: "typescript", source: text, entry: "main", tests: "", grants: [] },
      }),
      trust: "verified",
      status: "active",
      origin: "written",
      createdBy: "ada",
      createdAt: at,
      updatedAt: at,
      version: 1,
      scope: { agentId: "operator", userId: "ada" },
    };
    const path = join(paths.memory.functions, functionPath(stored));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(stored));
    idOf.set(functionId, id);
  }
  return idOf;
}

const unverified: FunctionVerifier = {
  verify: () => Promise.reject(new Error("a bench verifies nothing")),
};

/** Opens a stored library. Resolves when the index is complete and everything is embedded. */
export async function openLibrary(
  paths: ProfilePaths,
  settings: Partial<OperatorConfig["functions"]> = {},
): Promise<OpenedFunctions> {
  const state = openDatabase(paths.stateDatabase, stateMigrations, { title: "the state of the bench" });
  const opened = await openFunctions({
    userId: "ada",
    paths,
    evidence: openEvidenceTable(state),
    embedder: createBuiltInEmbedder(),
    verifier: unverified,
    settings: async () => ({ ...OperatorConfig.parse({}).functions, ...settings }),
    audit: async () => undefined,
    onWarning: (message, cause) => console.error(message, cause),
  });
  await opened.ready;
  await opened.embedded();
  return {
    ...opened,
    async close() {
      await opened.close();
      state.close();
    },
  };
}
