import { leavesOf, nameOfField } from "./leaves.ts";
import type { MadeCall } from "./learnable-run.ts";
import { pathTemplate } from "./path-template.ts";
import { mayBeCalculated, textTemplate } from "./text-template.ts";
import { type Place, type Templating, ValueSources } from "./value-sources.ts";

/**
 * Converts the arguments of one run's calls to templates and records the source of each value: the request, an answer
 * of the person, or an earlier call. A value without a source was composed by a model, even a short one.
 */
export function createTemplater(run: Templating) {
  const sources = new ValueSources(run);
  const { calls, factsOf } = run;
  const { provenance, singleItems, composedTexts, composedValues } = sources;

  const placeOf = (call: MadeCall, arg: string, index: number): Place => ({
    skill: call.skill,
    arg,
    name: arg,
    index,
    isPath: factsOf(call.skill)?.pathArgs.includes(arg) ?? false,
    isInside: false,
  });

  /**
   * Finds the values that are words of the request as a whole. They come first, so that no part of them gets another
   * source.
   */
  function findWholeValues(): void {
    for (const [index, call] of calls.entries())
      for (const [arg, value] of Object.entries(call.args)) {
        if (factsOf(call.skill)?.fixedArgs.includes(arg)) continue;
        for (const leaf of leavesOf(value)) {
          const name = nameOfField(leaf.place.split(".").at(-1) ?? "") ?? arg;
          sources.whole(leaf.value, { ...placeOf(call, arg, index), name });
        }
      }
  }

  function templatesOf(call: MadeCall, index: number): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(call.args).map(([arg, value]) => {
        const place = placeOf(call, arg, index);
        if (!factsOf(call.skill)?.fixedArgs.includes(arg))
          return [arg, argumentTemplate(value, place, sources)];
        sources.note(place, "constant", "one of a few values");
        return [arg, value];
      }),
    );
  }

  return { findWholeValues, templatesOf, provenance, singleItems, composedTexts, composedValues };
}

function argumentTemplate(value: unknown, place: Place, sources: ValueSources): unknown {
  const inside = { ...place, isInside: true };
  if (Array.isArray(value)) return value.map((part) => argumentTemplate(part, inside, sources));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        argumentTemplate(part, { ...inside, name: nameOfField(key) ?? place.name }, sources),
      ]),
    );
  if (typeof value === "number") return numberTemplate(value, place, sources);
  if (typeof value !== "string") {
    sources.note(place, "constant", "always the same");
    return value;
  }
  if (mayBeCalculated(value, place, sources)) return sources.composedText(value, place);
  const verbatim = sources.verbatim(value, place);
  if (verbatim !== undefined) return sources.fromRequest(verbatim, place);
  const found = sources.outputs.sourceOf(value, place.index);
  if (found && !(place.isPath && sources.outputs.isSelectedFile(found)))
    return sources.fromOutput(found, place);
  const similar = sources.whole(value, place) ?? sources.withCapital(value, place);
  if (similar !== undefined) return sources.fromRequest(similar, place);
  return place.isPath ? pathTemplate(value, place, sources) : textTemplate(value, place, sources);
}

/** A setting such as a limit has no source, even if an output is equal to it. */
function numberTemplate(value: number, place: Place, sources: ValueSources): unknown {
  const source = sources.whole(value, place);
  if (source !== undefined) return sources.fromRequest(source, place);
  const found = sources.outputs.sourceOfNumber(value, place.index);
  if (found && (place.isInside || /(?:^|\.)next$/.test(found.source.field)))
    return sources.fromOutput(found, place);
  return sources.composed(value, place);
}
