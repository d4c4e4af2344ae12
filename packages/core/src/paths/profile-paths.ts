import { join } from "node:path";
import { Username } from "../contract/ids.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { homePaths } from "./data-root.ts";

/** Absolute paths of one profile. */
export interface ProfilePaths {
  root: string;
  /** `profile.json`: display name, mode, trust level, added roots. */
  profile: string;
  /** `channels.json`: where notices go. In no export. */
  channels: string;
  /** `persona/core.json`. */
  persona: string;
  memory: {
    root: string;
    episodic: string;
    actions: string;
    reflections: string;
    dreams: string;
    audio: string;
    curiosity: string;
    curated: string;
    patterns: string;
    functions: string;
    functionUsage: string;
    tasks: { active: string; completed: string };
    schedules: string;
    archive: { root: string; files: string };
    /** Derived; may be deleted at any time. */
    index: string;
    /** Derived; may be deleted at any time. */
    functionIndex: string;
  };
  /** Operational: conversations, runs, approvals, counters. */
  stateDatabase: string;
  out: string;
  inbox: string;
  logs: { audit: string; runs: string };
}

/**
 * Computes the paths of a profile without disk access. Throws `InvalidArgsError` for an invalid username, so that no name
 * leads out of `profiles/`.
 */
export function profilePaths(home: string, username: string): ProfilePaths {
  const name = Username.safeParse(username, { error: plainIssue });
  if (!name.success) throw new InvalidArgsError(`This is not a username: ${plainReason(name.error)}.`);
  const root = join(homePaths(home).profiles, name.data);
  const memory = join(root, "memory");
  const archive = join(memory, "archive");
  return {
    root,
    profile: join(root, "profile.json"),
    channels: join(root, "channels.json"),
    persona: join(root, "persona", "core.json"),
    memory: {
      root: memory,
      episodic: join(memory, "episodic"),
      actions: join(memory, "actions"),
      reflections: join(memory, "reflections"),
      dreams: join(memory, "dreams"),
      audio: join(memory, "audio"),
      curiosity: join(memory, "curiosity"),
      curated: join(memory, "curated"),
      patterns: join(memory, "patterns"),
      functions: join(memory, "functions"),
      functionUsage: join(memory, "episodic", "functions"),
      tasks: { active: join(memory, "tasks", "active"), completed: join(memory, "tasks", "completed") },
      schedules: join(memory, "schedules"),
      archive: { root: archive, files: join(archive, "files") },
      index: join(memory, "index", "memory.db"),
      functionIndex: join(memory, "index", "functions.db"),
    },
    stateDatabase: join(root, "state.db"),
    out: join(root, "out"),
    inbox: join(root, "inbox"),
    logs: { audit: join(root, "logs", "audit"), runs: join(root, "logs", "runs") },
  };
}
