import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { WorkspaceFolders } from "@metahuman/core/workspace/workspace-folders";
import { createGit, type Git } from "./git/git.ts";
import { createWebSearch, type WebSearch } from "./network/searxng.ts";
import { createWeb, type Web } from "./network/web.ts";
import { createPrograms, type Programs } from "./programs/programs.ts";

export interface ExternalPortsOptions {
  files: WorkspaceFiles;
  folders: WorkspaceFolders;
  env: Readonly<Record<string, string | undefined>>;
  config: () => SkillsConfig;
}

/** The ports for access outside of a profile. */
export interface ExternalPorts {
  environment: { has(name: string): boolean };
  web: Web;
  webSearch: WebSearch;
  programs: Programs;
  git: Git;
}

/** Opens access to the environment, web, programs and git of this machine. Reads the configuration at every use. */
export function openExternalPorts({ files, folders, env, config }: ExternalPortsOptions): ExternalPorts {
  return {
    environment: processEnvironment(env),
    web: createWeb(() => config().network),
    webSearch: createWebSearch(() => ({ ...config().network, ...config().webSearch })),
    programs: createPrograms(folders, () => config().shell),
    git: createGit({ files, folders, home: env["HOME"] ?? env["USERPROFILE"] }),
  };
}

/** Reports whether a variable is set without exposing its value. */
function processEnvironment(env: Readonly<Record<string, string | undefined>>): {
  has(name: string): boolean;
} {
  return { has: (name) => Object.hasOwn(env, name) && env[name] !== "" };
}
