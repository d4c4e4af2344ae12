import { fenceData, escapeDataTags } from "@metahuman/core/context/fenced";
import type { FixturePath } from "@metahuman/core/contract/function";
import type { Region } from "@metahuman/core/contract/region";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { SkillNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import type { CallSkill } from "@metahuman/sandbox/sandbox";
import type { Skill } from "@metahuman/skills/define-skill";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import { z } from "zod";
import { callInScratch, isContained } from "../verifier/scratch-call.ts";
import { openScratchEnvironment, type ScratchEnvironment } from "../verifier/scratch-environment.ts";

/** The reply of the curator's model when it wants to inspect something before it writes. */
export const ExplorationRequest = z.object({
  look: z
    .array(
      z.object({
        skill: z.string().max(64),
        args: z.record(z.string(), z.unknown()).default({}),
        scratch: z.boolean().default(false),
      }),
    )
    .min(1),
});
export type ExplorationRequest = z.infer<typeof ExplorationRequest>;
type ExplorationCall = ExplorationRequest["look"][number];

/** The reply of a model that inspects something, and the results as the model reads them; every result is fenced. */
export const ExplorationTurn = z.strictObject({
  reply: z.string(),
  results: z.string(),
  /** The number of attempted calls, including failed ones. */
  calls: z.int().nonnegative(),
});
export type ExplorationTurn = z.infer<typeof ExplorationTurn>;

export interface ExplorationDependencies {
  skills: readonly Skill[];
  /** Makes a call in the profile with the permissions of the curating run. Calls that need an approval are refused. */
  callSkill: CallSkill;
  embedder: Embedder;
  /** The time and region of the request. */
  clock: { now: Date } & Region;
}

/** The limits of one curation for all attempts together. */
export const EXPLORATION_BUDGET = { calls: 8, bytes: 24_000, bytesPerCall: 8_000 };

/** The maximum length of a file copied to the scratch environment, in characters. */
const MAX_COPY_LENGTH = 64_000;
const ReadFile = z.object({ path: z.string(), content: z.string().max(MAX_COPY_LENGTH) });

export function canExplore(turns: readonly ExplorationTurn[]): boolean {
  return callsLeft(turns) > 0 && bytesLeft(turns) > 0;
}

/** Returns the ids of the skills that read the workspace, and of those that only run in the scratch environment. */
export function explorationSkills(skills: readonly Skill[]): { readable: string[]; tryable: string[] } {
  const contained = skills.filter((skill) => isForCode(skill) && isContained(skill));
  const isRead = ({ effects }: Skill): boolean => effects === "read";
  return {
    readable: contained.filter(isRead).map(({ id }) => id),
    tryable: contained.filter((skill) => !isRead(skill)).map(({ id }) => id),
  };
}

/**
 * Executes the calls that a model requests before it writes. Reads use the workspace. Calls with effects, and calls that
 * request it, run in a scratch environment that contains only copies of the files read so far. The result of a failed
 * call is its error. Rejects with the signal's reason.
 */
export function createExplorer({ skills, callSkill, embedder, clock }: ExplorationDependencies) {
  const { readable } = explorationSkills(skills);
  const copies = new Map<string, FixturePath>();

  async function openCopies(calls: readonly ExplorationCall[]): Promise<ScratchEnvironment> {
    const { now, timeZone, locale } = clock;
    const fixture = { paths: [...copies.values()], tasks: [], memories: [], at: now.toISOString() };
    const usesMemory = calls.some(
      (call) => skills.find(({ id }) => id === call.skill)?.category === "memory",
    );
    return openScratchEnvironment({ fixture: { ...fixture, timeZone, locale }, usesMemory, embedder });
  }

  async function readWorkspace(skill: Skill, args: ExplorationCall["args"], signal: AbortSignal) {
    const outputs = await callSkill(skill.id, args, signal);
    const read = ReadFile.safeParse(outputs);
    if (skill.id === "fs_read" && read.success)
      copies.set(read.data.path, { kind: "file", path: read.data.path, content: read.data.content });
    return outputs;
  }

  return async function explore(
    { look: calls }: ExplorationRequest,
    { reply, turns, request }: { reply: string; turns: readonly ExplorationTurn[]; request: string },
    signal: AbortSignal,
  ): Promise<{ turn: ExplorationTurn; detail: string }> {
    const allowed = calls.slice(0, callsLeft(turns));
    const results: string[] = [];
    const details: string[] = [];
    let bytes = bytesLeft(turns);
    let scratch: ScratchEnvironment | undefined;

    async function outcomeOf(call: ExplorationCall, step: number): Promise<Record<string, unknown>> {
      const skill = allowedSkill(call.skill, skills);
      if (readable.includes(skill.id) && !call.scratch) return readWorkspace(skill, call.args, signal);
      scratch ??= await openCopies(allowed);
      return callInScratch(skill, call.args, {
        step,
        request,
        ...clock,
        region: clock,
        ports: scratch.ports,
        signal,
      });
    }

    try {
      for (const [index, call] of allowed.entries()) {
        if (bytes <= 0) break;
        const outcome = await outcomeOf(call, index + 1).catch((error: unknown) => {
          signal.throwIfAborted();
          const { code, message, suggestions } = toErrorDetail(error);
          return { error: { code, message, suggestions } };
        });
        const shown = clipToBytes(JSON.stringify(outcome), Math.min(bytes, EXPLORATION_BUDGET.bytesPerCall));
        bytes -= Buffer.byteLength(shown);
        details.push(
          `${call.skill} (${"error" in outcome ? "failed" : `${Buffer.byteLength(shown)} bytes`})`,
        );
        results.push(`${index + 1}. ${escapeDataTags(call.skill)}:\n${fenceData(shown)}`);
      }
    } finally {
      await scratch?.close();
    }
    const left = callsLeft(turns) - results.length;
    const notMade = calls.length - results.length;
    const turn = {
      reply,
      calls: results.length,
      results: [
        ...results,
        ...(notMade > 0
          ? [`The last ${notMade} of your calls were not made, because the budget is used up.`]
          : []),
        left > 0 && bytes > 0
          ? `You may make ${left} more calls and see ${bytes} more bytes.`
          : "You can make no more calls. Reply with the function.",
      ].join("\n\n"),
    };
    return { turn, detail: details.join(", ") };
  };
}

function callsLeft(turns: readonly ExplorationTurn[]): number {
  return EXPLORATION_BUDGET.calls - turns.reduce((sum, { calls }) => sum + calls, 0);
}

function bytesLeft(turns: readonly ExplorationTurn[]): number {
  return EXPLORATION_BUDGET.bytes - turns.reduce((sum, { results }) => sum + Buffer.byteLength(results), 0);
}

/** Throws `SkillNotFoundError`, and `PermissionDeniedError` for a skill with effects outside the workspace. */
function allowedSkill(id: string, skills: readonly Skill[]): Skill {
  const skill = skills.find((one) => one.id === id);
  if (!skill) throw new SkillNotFoundError(`There is no skill called ${id}.`);
  if (!isForCode(skill) || !isContained(skill))
    throw new PermissionDeniedError(`${id} reaches outside the workspace and cannot be tried here.`, {
      suggestions: ["In the tests, replace it with fake()."],
    });
  return skill;
}

function clipToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // The decoder omits an incomplete character at the end.
  return `${new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })} [clipped: ${maxBytes} of ${bytes.length} bytes]`;
}
