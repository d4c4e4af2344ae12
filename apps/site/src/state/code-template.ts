import type { FunctionCode, FunctionParameter } from "@metahuman/core/contract/function";

/** What a new code function begins as: small, typed, tested, and passing every check as it stands. */
export const CODE_TEMPLATE: FunctionCode = {
  language: "typescript",
  entry: "main",
  source: `interface Parameters {
  name: string;
}

/** Says what it does in a sentence. */
export async function main({ name }: Parameters) {
  // Files, tasks and memory are reached by skills, once granted below:
  // const { content } = await skills.fs_read({ path: "notes/today.md" });
  return { greeting: \`Hello, \${name}!\` };
}
`,
  tests: `assert.deepEqual(await main({ name: "Ada" }), { greeting: "Hello, Ada!" });
`,
  grants: [],
};

export const TEMPLATE_PARAMETERS: readonly FunctionParameter[] = [
  { name: "name", type: "string", description: "Whom to greet", required: true },
];
