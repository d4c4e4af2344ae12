import { OperatorConfig } from "@metahuman/core/contract/config";
import type { Database } from "@metahuman/core/database/open-database";
import { type OpenedFunctions, openFunctions } from "@metahuman/core/functions/open-functions";
import { openEvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import type { Skill } from "@metahuman/skills/define-skill";
import type { CodeRunner } from "../operator/tools/code/code-runner.ts";
import { createVerifier } from "../verifier/verifier.ts";

export interface TestFunctionsOptions {
  home: string;
  state: Database;
  skills: readonly Skill[];
  code: Pick<CodeRunner, "sandbox" | "tools">;
}

/** Opens Ada's functions under `home` with the real checks. */
export async function openTestFunctions({
  home,
  state,
  skills,
  code: runner,
}: TestFunctionsOptions): Promise<OpenedFunctions> {
  const embedder = createBuiltInEmbedder();
  const opened = await openFunctions({
    userId: "ada",
    paths: profilePaths(home, "ada"),
    evidence: openEvidenceTable(state),
    embedder,
    verifier: createVerifier({
      skill: (id) => skills.find((skill) => skill.id === id),
      skills: () => skills,
      embedder,
      code: {
        check: async ({ code, parameters }, { signal }) =>
          code
            ? verifyCode({ code, parameters }, { ...runner, skills, limits: { wallMs: 25_000 } }, signal)
            : [],
      },
      region: async () => ({ timeZone: "UTC", locale: "en-GB" }),
      clock: () => new Date(),
    }),
    settings: async () => OperatorConfig.parse({}).functions,
    audit: async () => undefined,
  });
  await opened.ready;
  return opened;
}
