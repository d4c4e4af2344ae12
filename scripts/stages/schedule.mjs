/**
 * @typedef {object} Result
 * @property {boolean} ok
 * @property {string} [note] a few words for the stage's line
 * @property {string} [output] what to show of a stage that failed
 * @property {Counts} [tests] only of stages that run tests
 */

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts of tests */

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {number} slots how many slots of the capacity it takes; 0 for one that mostly waits
 * @property {readonly string[]} [needs] stages that must succeed first
 * @property {readonly string[]} [after] stages that must end first, whether they succeed or not
 * @property {() => Promise<Result>} run
 */

/** @typedef {{ stage: Stage, result: Result, durationMs: number }} Ended */

/**
 * Runs stages in parallel within the capacity. A stage starts when those in `needs` and `after` have ended; if several can
 * start, the first in the list does. A stage is skipped if one that it needs failed. Names of other stages are ignored.
 *
 * @param {readonly Stage[]} stages
 * @param {number} capacity
 * @param {(ended: Ended) => void} onEnd
 * @returns {Promise<Ended[]>} in the order in which they ended
 */
export async function runStages(stages, capacity, onEnd) {
  const names = new Set(stages.map(({ name }) => name));
  const waiting = [...stages];
  /** @type {Map<string, Ended>} */
  const ended = new Map();
  /** @type {Map<string, Promise<void>>} */
  const running = new Map();
  let free = capacity;

  const awaits = (/** @type {Stage} */ { needs = [], after = [] }) =>
    [...needs, ...after].some((name) => names.has(name) && !ended.has(name));
  const end = (/** @type {Stage} */ stage, /** @type {Result} */ result, durationMs = 0) => {
    const entry = { stage, result, durationMs };
    ended.set(stage.name, entry);
    onEnd(entry);
  };
  const start = async (/** @type {Stage} */ stage) => {
    const startedAt = Date.now();
    free -= stage.slots;
    const result = await stage.run();
    free += stage.slots;
    running.delete(stage.name);
    end(stage, result, Date.now() - startedAt);
  };

  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.findIndex((stage) => !awaits(stage) && stage.slots <= free);
    const [stage] = next === -1 ? [] : waiting.splice(next, 1);
    if (!stage) {
      if (running.size === 0)
        throw new Error(`Nothing can start ${waiting.map(({ name }) => name).join(", ")}`);
      await Promise.race(running.values());
      continue;
    }
    const missing = stage.needs?.find((name) => ended.get(name)?.result.ok === false);
    if (missing === undefined) running.set(stage.name, start(stage));
    else end(stage, { ok: false, note: `not run: ${missing} failed` });
  }
  return [...ended.values()];
}
