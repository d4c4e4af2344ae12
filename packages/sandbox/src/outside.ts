import { processEnvironment } from "@metahuman/core/config/process-environment";
import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { WorkspaceFolders } from "@metahuman/core/workspace/folders";
import { createGit, type Git } from "./git/git.ts";
import { createWebSearch, type WebSearch } from "./network/searxng.ts";
import { createWeb, type Web } from "./network/web.ts";
import { createPrograms, type Programs } from "./programs/programs.ts";

export interface OutsideOptions {
  files: WorkspaceFiles;
  folders: WorkspaceFolders;
  env: Readonly<Record<string, string | undefined>>;
  config: () => SkillsConfig;
}

/** The powers that reach out of a profile. */
export interface Outside {
  environment: { has(name: string): boolean };
  web: Web;
  webSearch: WebSearch;
  programs: Programs;
  git: Git;
}

/** Environment, web, programs and git of this machine; the configuration is read at every use. */
export function openOutside({ files, folders, env, config }: OutsideOptions): Outside {
  return {
    environment: processEnvironment(env),
    web: createWeb(() => config().network),
    webSearch: createWebSearch(() => ({ ...config().network, ...config().webSearch })),
    programs: createPrograms(folders, () => config().shell),
    git: createGit({ files, folders, home: env["HOME"] ?? env["USERPROFILE"] }),
  };
}
