import { CodeDraft, RegistrationResult } from "@metahuman/core/contract/curation";
import { defineSkill } from "../define-skill.ts";
import { codeOf, registerCode, reportOf, withGrants } from "../support/register-code.ts";
import { registrationLines, registrationSentence } from "../support/registration-summary.ts";

export const functionRegister = defineSkill({
  id: "function_register",
  summary: "Save code as a function that can be run again",
  category: "functions",
  input: CodeDraft,
  output: RegistrationResult,
  effects: "write",
  risk: "medium",
  timeoutMs: 120_000,
  notes: "It is a draft until a person approves it. Give tests: without any it is never verified.",
  // Functions are written on the page or generated, so there are no phrases.
  phrases: [],
  assess: async ({ name, description, tests }, { functions }) => {
    const live = await functions().findByName(name);
    return {
      risk: "medium",
      preview: {
        title: live ? `Propose a new version of “${live.title}”?` : `Save the function ${name} as a draft?`,
        facts: [
          { label: "does", value: description },
          { label: "tests", value: tests.trim() === "" ? "none" : "given" },
        ],
      },
      paths: [],
      hosts: [],
    };
  },
  narrate: registrationSentence,
  structure: registrationLines,
  run: async (given, { ports: { functions, code }, runId, signal }) => {
    const draft = await withGrants(given, code);
    const verification = reportOf(await code.check(codeOf(draft), draft.parameters, signal, draft.name));
    const actor = { by: "operator", isPerson: false, isOwner: false, runId };
    const registered = await registerCode(functions(), draft, { actor, origin: "written", runId });
    return { ...registered, verification };
  },
});
