import type { FunctionChange, FunctionMemory, FunctionParameter } from "@metahuman/core/contract/function";

type Guide = Pick<FunctionMemory, "steps" | "parameters">;

const FOR_EACH = "For each one: ";

/** The skill of a learned step: `task_create` in "Create a task (task_create): title = Order epoxy". */
function skillOf(step: string): string | undefined {
  return /\(([a-z][a-z0-9_]*)\)(?::|$)/.exec(step)?.[1];
}

/** Skills in order, with repeated ones in a row counted once. */
export function withoutRepeats(skills: readonly string[]): string[] {
  return skills.filter((skill, index) => skill !== skills[index - 1]);
}

/** The change that makes a guide cover another run, and its description in a sentence. */
export interface WidenedGuide {
  change: Required<Pick<FunctionChange, "steps" | "parameters">>;
  reason: string;
}

/**
 * Generalizes a guide to cover another run: differing constants become parameters with both values as examples, and
 * repeated calls become one step "for each". Undefined if a person wrote the steps, or if they do not change.
 */
export function widenGuide(known: Guide, next: Guide): WidenedGuide | undefined {
  const [before, after] = [grouped(known.steps), grouped(next.steps)];
  if (!before || !after || before.length !== after.length) return undefined;
  const added: FunctionParameter[] = [];
  const steps: string[] = [];
  let repeats = false;
  for (const [index, one] of before.entries()) {
    const other = after[index];
    const [old, fresh] = [one.steps[0], other?.steps[0]];
    if (old === undefined || fresh === undefined || other?.skill !== one.skill) return undefined;
    const isRepeated = one.steps.length > 1 || other.steps.length > 1 || old.startsWith(FOR_EACH);
    repeats ||= isRepeated && !old.startsWith(FOR_EACH);
    steps.push(`${isRepeated ? FOR_EACH : ""}${mergeSteps(old.replace(FOR_EACH, ""), fresh, added)}`);
  }
  if (steps.join("\n") === known.steps.join("\n")) return undefined;
  const names = new Set(known.parameters.map(({ name }) => name));
  const fresh = added.filter(({ name }) => !names.has(name));
  const reasons = [
    ...(repeats ? ["it repeats a step"] : []),
    ...(fresh.length > 0 ? [`${fresh.map(({ name }) => name).join(" and ")} was different`] : []),
  ];
  const [first = "a step had other words", ...others] = reasons;
  return {
    change: { steps, parameters: [...known.parameters, ...fresh] },
    reason: `${first.charAt(0).toUpperCase()}${[first.slice(1), ...others].join(", and ")}.`,
  };
}

function grouped(steps: readonly string[]): { skill: string; steps: string[] }[] | undefined {
  const groups: { skill: string; steps: string[] }[] = [];
  for (const step of steps) {
    const skill = skillOf(step);
    if (skill === undefined) return undefined;
    const last = groups.at(-1);
    if (last?.skill === skill) last.steps.push(step);
    else groups.push({ skill, steps: [step] });
  }
  return groups;
}

function mergeSteps(old: string, fresh: string, added: FunctionParameter[]): string {
  const [before, after] = [valuesIn(old), valuesIn(fresh)];
  if (before.head !== after.head || [...before.values.keys()].join() !== [...after.values.keys()].join())
    return old;
  const written = [...before.values].map(([name, value]) => {
    const other = after.values.get(name) ?? value;
    // An equal value stays, and so does a value that one of the two steps has as a parameter.
    if (value === other || value.startsWith("${") || other.startsWith("${")) return `${name} = ${value}`;
    if (!added.some((one) => one.name === name))
      added.push({ name, type: "string", description: `For example: ${value}; ${other}`, required: false });
    return `${name} = \${${name}}`;
  });
  return written.length === 0 ? old : `${before.head}: ${written.join(", ")}`;
}

function valuesIn(step: string): { head: string; values: Map<string, string> } {
  const colon = step.indexOf("): ");
  if (colon < 0) return { head: step, values: new Map() };
  const values = step
    .slice(colon + 3)
    .split(/, (?=\w+ = )/)
    .map((part): [string, string] => {
      const [name = "", ...value] = part.split(" = ");
      return [name, value.join(" = ")];
    });
  return { head: step.slice(0, colon + 1), values: new Map(values) };
}
