import { RuleTester } from "eslint";
import { parser } from "typescript-eslint";
import { describe, it } from "vitest";
import { importDirection } from "./import-direction.js";

RuleTester.describe = describe;
RuleTester.it = it;

const rules = new RuleTester({ languageOptions: { parser } });

/** The problems that the rule reports for one line of code in a file. */
function line(filename: string, code: string) {
  return { name: `${filename}: ${code}`, filename: `${process.cwd()}/${filename}`, code };
}

rules.run("import-direction", importDirection, {
  valid: [
    line("packages/core/src/contract/run.ts", 'import { z } from "zod";'),
    line("packages/core/src/contract/run.ts", 'import { RunId } from "./ids.ts";'),
    line("packages/core/src/memory/store.ts", 'import { open } from "node:fs/promises";'),
    line("packages/core/src/memory/store.ts", 'import { Run } from "../contract/run.ts";'),
    line("packages/models/src/router.ts", 'import type { Config } from "@metahuman/core/contract/config";'),
    line("brain/skills/fs-read/skill.ts", 'import { z } from "zod";'),
    line("brain/skills/fs-read/skill.test.ts", 'import { mkdtemp } from "node:fs/promises";'),
    line(
      "brain/agents/operator/loop/run-loop.ts",
      'import { installed } from "@metahuman/skills/installed";',
    ),
    line("packages/cli/src/main.ts", 'import { createBrain } from "@metahuman/boot/create-brain";'),
    line(
      "packages/models/src/provider-suite.ts",
      'import { serve } from "../../../tests/support/server.ts";',
    ),
    line("tests/scenarios/ask.test.ts", 'import { createBrain } from "@metahuman/boot/create-brain";'),
  ],
  invalid: [
    {
      ...line("packages/core/src/contract/run.ts", 'import pino from "pino";'),
      errors: [{ messageId: "library" }],
    },
    {
      ...line("packages/core/src/contract/run.ts", 'import fs from "node:fs";'),
      errors: [{ messageId: "node" }],
    },
    {
      ...line("packages/core/src/contract/run.ts", 'import { open } from "../database/open.ts";'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line(
        "packages/core/src/memory/store.ts",
        'import { createBrain } from "@metahuman/boot/create-brain";',
      ),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line(
        "packages/core/src/memory/store.ts",
        'import { createBrain } from "../../../../brain/boot/create-brain.ts";',
      ),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line(
        "packages/core/src/memory/store.test.ts",
        'import { createBrain } from "@metahuman/boot/create-brain";',
      ),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("packages/models/src/router.ts", 'export { run } from "@metahuman/sandbox/run";'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("packages/models/src/router.ts", 'import { serve } from "../../../tests/support/server.ts";'),
      errors: [{ messageId: "outside" }],
    },
    { ...line("brain/skills/fs-read/skill.ts", 'import "node:fs";'), errors: [{ messageId: "node" }] },
    {
      ...line("brain/skills/fs-read/skill.ts", 'import fs from "fs/promises";'),
      errors: [{ messageId: "node" }],
    },
    {
      ...line("brain/skills/fs-read/skill.ts", 'type Plan = import("@metahuman/agents/operator/plan").Plan;'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("brain/skills/fs-read/skill.ts", 'export * from "../../agents/operator/plan.ts";'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("packages/cli/src/main.ts", 'const store = await import("@metahuman/core/memory/store");'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("apps/site/src/features/shell/api.ts", 'import type { Brain } from "@metahuman/boot/brain";'),
      errors: [{ messageId: "direction" }],
    },
    {
      ...line("apps/site/src/features/chat/trace.ts", 'import { hosts } from "../../server/http/hosts.ts";'),
      errors: [{ messageId: "direction" }],
    },
    { ...line("apps/site/src/features/shell/api.ts", 'import "node:fs";'), errors: [{ messageId: "node" }] },
    {
      ...line("apps/site/src/pages/api/runs.ts", 'import { main } from "@metahuman/cli/main";'),
      errors: [{ messageId: "direction" }],
    },
  ],
});
