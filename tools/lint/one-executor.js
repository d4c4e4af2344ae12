import { relative } from "node:path";
import { isTestFile } from "./layers.js";

const EXECUTORS = new Set([
  // Creates the functions of a skill from its definition.
  "brain/skills/define-skill.ts",
  // Assesses a call, has it authorized, then runs its skill.
  "brain/agents/operator/tools/execute-call.ts",
  // Wraps a skill for the executor, to fill in secrets as late as possible.
  "brain/agents/operator/tools/code/secrets.ts",
]);

/** No code runs a skill without authorization: calls go through `executeCall`. @type {import("eslint").Rule.RuleModule} */
export const oneExecutor = {
  meta: {
    type: "problem",
    docs: { description: "Only execute-call.ts calls `run` and `assess` of a skill." },
    schema: [],
    messages: { executor: "Call the skill through executeCall, which authorizes it first." },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll("\\", "/");
    if (EXECUTORS.has(file) || file.startsWith("tests/") || isTestFile(file)) return {};
    const report = (/** @type {import("eslint").Rule.Node} */ node) =>
      context.report({ node, messageId: "executor" });
    return {
      "CallExpression > MemberExpression.callee[property.name='assess']": report,
      "CallExpression > MemberExpression.callee[property.name='run'][object.name=/^skill$|Skill$/]": report,
      "CallExpression > MemberExpression.callee[property.name='run'][object.property.name=/^skill$|Skill$/]":
        report,
    };
  },
};
