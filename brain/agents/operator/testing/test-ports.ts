import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openLocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import type { CodeTools } from "@metahuman/sandbox/code/code-tools";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";
import type { Sandbox } from "@metahuman/sandbox/sandbox";
import { openExternalPorts } from "@metahuman/sandbox/external-ports";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { openTestAgents } from "../../testing/open-test-agents.ts";
import { openTestSchedules } from "../../testing/open-test-schedules.ts";
import type { ProfilePorts } from "@metahuman/skills/ports";

/** The real ports of skills, on the files of one profile. Opening them is slow, so tests share them if they can. */
export interface TestPorts {
  ports: ProfilePorts;
  memory: MemoryPort;
  /** Started at the first code that is run. */
  code: { sandbox: Sandbox; tools: CodeTools };
  close(): Promise<void>;
}

export async function openTestPorts(): Promise<TestPorts> {
  const home = await mkdtemp(join(tmpdir(), "ports-"));
  const paths = profilePaths(home, "ada");
  const { memory, close } = await openMemory({
    paths,
    embedder: createBuiltInEmbedder(),
  });
  const tasks = await openTasks({ paths });
  const { files, folders, archive } = await openLocalWorkspace({
    out: paths.out,
    inbox: paths.inbox,
    archive: paths.memory.archive.files,
  });
  const skillsConfig = SkillsConfig.parse({});
  const outside = openExternalPorts({ files, folders, env: process.env, config: () => skillsConfig });
  const { agents, close: closeAgents } = openTestAgents(home);
  const { schedules, watchedPages, close: closeSchedules } = await openTestSchedules(home);
  return {
    ports: {
      files,
      archive,
      memory,
      tasks,
      agents,
      schedules,
      watchedPages,
      remindOf: (task, region) => schedules.remindOf(task, region),
      ...outside,
      activity: {
        requests: () => Promise.resolve({ requests: [], total: 0 }),
        oldest: () => Promise.resolve(undefined),
      },
      patterns: { makeFunction: () => Promise.reject(new Error("these tests have no patterns")) },
      catalog: () => [],
    },
    memory,
    code: { sandbox, tools: codeTools },
    async close() {
      await closeAgents();
      await closeSchedules();
      await close();
      tasks.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
