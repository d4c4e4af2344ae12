import { join } from "node:path";
import { RuleTester } from "eslint";
import { parser } from "typescript-eslint";
import { describe, it } from "vitest";
import { oneExecutor } from "./one-executor.js";

RuleTester.describe = describe;
RuleTester.it = it;

const executor = join(process.cwd(), "brain/agents/operator/tools/execute-call.ts");
const agent = join(process.cwd(), "brain/agents/curator/curator.ts");

new RuleTester({ languageOptions: { parser } }).run("one-executor", oneExecutor, {
  valid: [
    { code: "await skill.run(args, call);", filename: executor },
    { code: "await sandbox.run(code);", filename: agent },
    {
      code: "await skill.run(args, call);",
      filename: join(process.cwd(), "brain/skills/fs-read/skill.test.ts"),
    },
  ],
  invalid: [
    { code: "await skill.run(args, call);", filename: agent, errors: [{ messageId: "executor" }] },
    { code: "await prepared.skill.run(args, call);", filename: agent, errors: [{ messageId: "executor" }] },
    { code: "await readSkill.run(args, call);", filename: agent, errors: [{ messageId: "executor" }] },
    { code: "await found.assess(args, ports);", filename: agent, errors: [{ messageId: "executor" }] },
  ],
});
