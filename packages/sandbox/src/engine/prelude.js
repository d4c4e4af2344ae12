// Runs inside the engine before the untrusted code. Defines the globals of that code, and returns to the host the functions
// that the code must not change. The security of the host does not depend on it: it can only return text.
/**
 * @param {{
 *   skills: readonly string[],
 *   call: (skill: string, args: string) => Promise<string>,
 *   log: (line: string) => void,
 * }} host
 */
(host) => {
  const { parse, stringify } = JSON;
  const { apply, get, ownKeys } = Reflect;
  const { create, freeze, getPrototypeOf, defineProperty, hasOwn, is } = Object;
  const { isArray } = Array;
  const { isFinite } = Number;
  const objectPrototype = Object.prototype;
  const [sets, maps, dates, patterns] = [Set, Map, Date, RegExp];
  const setForEach = Set.prototype.forEach;
  const mapForEach = Map.prototype.forEach;
  const { slice } = String.prototype;
  const text = String;
  const fail = TypeError;
  const { then: nativeThen } = Promise.prototype;
  const { next: resume, throw: interrupt } = getPrototypeOf(getPrototypeOf((function* () {})()));
  let assertions = 0;
  let afterMain = 0;
  /** How often `main` returned to the tests. */
  let returned = 0;
  /** The first assertion that failed, also where the tests swallow its error. @type {{ error: unknown } | undefined} */
  let failed;
  // Memory that two threads could share has no use here; its constructor is reachable only by this name.
  Reflect.deleteProperty(globalThis, "SharedArrayBuffer");

  /** A skill that did not do what it was asked; `code` is one of the system's error codes. */
  class SkillError extends Error {
    /** @param {{ code: string, message: string, suggestions?: string[] }} detail */
    constructor({ code, message, suggestions = [] }) {
      super(message);
      this.name = "SkillError";
      this.code = code;
      this.suggestions = suggestions;
    }
  }

  /** What JSON cannot hold is refused rather than quietly left out. @type {(this: unknown, key: string, value: unknown) => unknown} */
  function checked(key, value) {
    const kind = typeof value;
    if (kind === "function" || kind === "symbol" || kind === "bigint")
      throw new fail(`what is returned holds a ${kind} at "${key}", which JSON cannot hold`);
    if (kind === "number" && !isFinite(value))
      throw new fail(`what is returned holds ${text(value)} at "${key}", which JSON cannot hold`);
    if (value instanceof sets || value instanceof maps)
      throw new fail(`what is returned holds a Set or Map at "${key}"; return an array or an object`);
    return value;
  }

  /** @param {unknown} value */
  function toJson(value) {
    return value === undefined ? "null" : stringify(value, checked);
  }

  /** @type {Record<string, (args?: object) => Promise<unknown>>} */
  const skills = create(null);
  /** @type {Record<string, (args: unknown) => unknown>} */
  const faked = create(null);
  /** @type {Record<string, (args?: object) => Promise<unknown>>} */
  const functions = create(null);
  for (const skill of host.skills) {
    const isFunction = apply(slice, skill, [0, 9]) === "function.";
    const call = async (args = {}) => {
      const given = toJson(args);
      const fake = faked[skill];
      if (fake) return parse(toJson(await fake(parse(given))));
      let answer;
      try {
        answer = await host.call(skill, given);
      } catch (refusal) {
        throw new SkillError(parse(text(refusal)));
      }
      return isFunction ? parse(answer).result : parse(answer);
    };
    if (isFunction) functions[apply(slice, skill, [9])] = call;
    else skills[skill] = call;
  }
  defineProperty(skills, "function", { value: freeze(functions), enumerable: false });
  freeze(skills);

  /** @param {unknown[]} values */
  function line(values) {
    let message = "";
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at];
      message += at === 0 ? "" : " ";
      message += typeof value === "string" ? value : value instanceof Error ? text(value) : inspect(value);
    }
    return message;
  }

  /** @param {unknown} value */
  function inspect(value) {
    try {
      return text(stringify(value));
    } catch (error) {
      return `(${text(error)})`;
    }
  }

  const say = (/** @type {unknown[]} */ ...values) => host.log(line(values));
  const consoleLike = freeze({ log: say, info: say, warn: say, error: say, debug: say });

  /** Equal in kind, keys and values; sets and maps without order. @param {unknown} a @param {unknown} b @returns {boolean} */
  function same(a, b) {
    if (is(a, b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (getPrototypeOf(a) !== getPrototypeOf(b) || isArray(a) !== isArray(b)) return false;
    if (a instanceof dates && b instanceof dates) return +a === +b;
    if (a instanceof patterns && b instanceof patterns) return text(a) === text(b);
    if (a instanceof Error && b instanceof Error && a.message !== b.message) return false;
    if (a instanceof maps && b instanceof maps) return sameMembers(entriesOf(a), entriesOf(b));
    if (a instanceof sets && b instanceof sets) return sameMembers(membersOf(a), membersOf(b));
    const keys = ownKeys(a);
    if (keys.length !== ownKeys(b).length) return false;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at];
      if (key === undefined || !hasOwn(b, key) || !same(get(a, key), get(b, key))) return false;
    }
    return true;
  }

  /** @param {Map<unknown, unknown>} map */
  function entriesOf(map) {
    /** @type {unknown[]} */
    const entries = [];
    apply(mapForEach, map, [
      (/** @type {unknown} */ value, /** @type {unknown} */ key) => (entries[entries.length] = [key, value]),
    ]);
    return entries;
  }

  /** @param {Set<unknown>} set */
  function membersOf(set) {
    /** @type {unknown[]} */
    const members = [];
    apply(setForEach, set, [(/** @type {unknown} */ value) => (members[members.length] = value)]);
    return members;
  }

  /** @param {unknown[]} a @param {unknown[]} b */
  function sameMembers(a, b) {
    if (a.length !== b.length) return false;
    /** @type {boolean[]} */
    const taken = [];
    for (let at = 0; at < a.length; at += 1) {
      let found = 0;
      while (found < b.length && (taken[found] === true || !same(a[at], b[found]))) found += 1;
      if (found === b.length) return false;
      taken[found] = true;
    }
    return true;
  }

  class AssertionError extends Error {
    /** @param {string} message */
    constructor(message) {
      super(message);
      this.name = "AssertionError";
    }
  }

  /** @param {unknown} holds @param {unknown} message @param {() => string} usual */
  function ensure(holds, message, usual) {
    assertions += 1;
    if (returned > 0) afterMain += 1;
    if (holds) return;
    const error =
      message instanceof Error
        ? message
        : new AssertionError(message === undefined ? usual() : `${text(message)}: ${usual()}`);
    failed ??= { error };
    throw error;
  }

  /** @param {unknown} actual @param {unknown} expected */
  const differ = (actual, expected) => () => `expected ${inspect(expected)}, got ${inspect(actual)}`;

  /** @param {unknown} error @param {unknown} expected */
  function matches(error, expected) {
    if (expected === undefined || typeof expected === "string") return true;
    if (expected instanceof RegExp) return expected.test(text(error));
    if (typeof expected === "function") return error instanceof expected;
    if (typeof expected !== "object" || expected === null) return false;
    return ownKeys(expected).every((key) => same(Object(error)[key], Reflect.get(expected, key)));
  }

  /** @type {(value: unknown, message?: unknown) => void} */
  const ok = (value, message) => ensure(value, message, () => `expected a true value, got ${inspect(value)}`);
  /** @type {(actual: unknown, expected: unknown, message?: unknown) => void} */
  const equal = (a, b, message) => ensure(is(a, b), message, differ(a, b));
  /** @type {(actual: unknown, expected: unknown, message?: unknown) => void} */
  const notEqual = (a, b, message) => ensure(!is(a, b), message, () => `did not expect ${inspect(a)}`);
  /** @type {(actual: unknown, expected: unknown, message?: unknown) => void} */
  const deepEqual = (a, b, message) => ensure(same(a, b), message, differ(a, b));
  /** @type {(actual: unknown, expected: unknown, message?: unknown) => void} */
  const notDeepEqual = (a, b, message) => ensure(!same(a, b), message, () => `did not expect ${inspect(a)}`);
  /** @param {string} string @param {RegExp} pattern @param {unknown} [message] */
  const match = (string, pattern, message) =>
    ensure(pattern.test(string), message, () => `expected ${inspect(string)} to match ${text(pattern)}`);
  /** @param {() => unknown} work @param {unknown} [expected] @param {unknown} [message] */
  const throws = (work, expected, message) => {
    try {
      work();
    } catch (error) {
      return ensure(matches(error, expected), message, () => `threw another error: ${text(error)}`);
    }
    return ensure(false, message, () => "expected an error, and none was thrown");
  };
  /** @param {Promise<unknown> | (() => Promise<unknown>)} work @param {unknown} [expected] @param {unknown} [message] */
  const rejects = (work, expected, message) => {
    const rejected = async () => {
      try {
        await (typeof work === "function" ? work() : work);
      } catch (error) {
        return ensure(matches(error, expected), message, () => `failed with another error: ${text(error)}`);
      }
      return ensure(false, message, () => "expected an error, and nothing failed");
    };
    return new TestPromise((resolve) => resolve(rejected()));
  };
  /** @param {string} [message] */
  const never = (message) => ensure(false, message, () => "this should not have been reached");

  const assert = freeze(
    Object.assign((/** @type {unknown} */ value, /** @type {unknown} */ message) => ok(value, message), {
      ok,
      equal,
      strictEqual: equal,
      notEqual,
      notStrictEqual: notEqual,
      deepEqual,
      deepStrictEqual: deepEqual,
      notDeepEqual,
      notDeepStrictEqual: notDeepEqual,
      match,
      throws,
      rejects,
      fail: never,
    }),
  );

  /** @param {string} skill @param {(args: unknown) => unknown} answer */
  function fake(skill, answer) {
    const name = text(skill);
    const isKnown =
      apply(slice, name, [0, 9]) === "function." ? apply(slice, name, [9]) in functions : name in skills;
    if (!isKnown || name === "function") throw new fail(`there is no skill called ${name}`);
    faked[skill] = answer;
  }

  /** @param {string} name @param {unknown} value */
  const give = (name, value) =>
    defineProperty(globalThis, name, { value, enumerable: false, writable: false, configurable: false });
  give("skills", skills);
  give("console", consoleLike);

  /** @typedef {{ state: "pending" | "fulfilled" | "rejected", handled: boolean, reason?: unknown }} Followed */
  /** What became of each promise of the tests. @type {Followed[]} */
  const followed = [];
  /** @type {WeakMap<object, Followed>} */
  const entries = new WeakMap();
  const { get: entryOf, set: keepEntry } = WeakMap.prototype;
  let isWatching = false;

  /**
   * The promise of the tests: they see it as `Promise`, and their async functions return it. The function's own code
   * has the engine's.
   * @template Value
   * @extends {Promise<Value>}
   */
  class TestPromise extends Promise {
    /** @override */
    static get [Symbol.species]() {
      return TestPromise;
    }

    /** @param {(resolve: (value: any) => void, reject: (reason?: unknown) => void) => void} executor */
    constructor(executor) {
      super(executor);
      if (isWatching) return;
      /** @type {Followed} */
      const entry = { state: "pending", handled: false };
      apply(keepEntry, entries, [this, entry]);
      followed[followed.length] = entry;
      isWatching = true;
      void apply(nativeThen, this, [
        () => (entry.state = "fulfilled"),
        (/** @type {unknown} */ reason) => {
          entry.state = "rejected";
          entry.reason = reason;
        },
      ]);
      isWatching = false;
    }
  }
  // `await` calls this, because it is not a promise of the engine.
  void defineProperty(TestPromise.prototype, "then", {
    /** @this {Promise<unknown>} @param {any} [onFulfilled] @param {any} [onRejected] */
    value(onFulfilled, onRejected) {
      const entry = apply(entryOf, entries, [this]);
      if (entry) entry.handled = true;
      return apply(nativeThen, this, [onFulfilled, onRejected]);
    },
  });

  /** TypeScript's helper for async functions, on promises that are followed. @param {unknown} _this @param {unknown} _args @param {unknown} _type @param {(this: unknown) => Generator} generator */
  function awaiter(_this, _args, _type, generator) {
    return new TestPromise((resolve, reject) => {
      const running = apply(generator, _this, []);
      /** @param {Function} how @param {unknown} [value] */
      const step = (how, value) => {
        try {
          const { done, value: given } = apply(how, running, [value]);
          if (done) resolve(given);
          else
            new TestPromise((adopt) => adopt(given)).then(
              (/** @type {unknown} */ result) => step(resume, result),
              (/** @type {unknown} */ reason) => step(interrupt, reason),
            );
        } catch (error) {
          reject(error);
        }
      };
      step(resume);
    });
  }

  /** `main` as the tests call it: the promise it returns is followed. @param {(...given: unknown[]) => unknown} main */
  const watched =
    (main) =>
    (/** @type {unknown[]} */ ...given) => {
      const result = main(...given);
      const isLater = typeof result === "object" && result !== null && "then" in result;
      if (!isLater) {
        returned += 1;
        return result;
      }
      const later = new TestPromise((resolve) => resolve(result));
      isWatching = true;
      void apply(nativeThen, later, [() => (returned += 1), () => undefined]);
      isWatching = false;
      return later;
    };

  /** The failures of the tests that were not thrown; empty without one. */
  function problem() {
    if (failed) return describe(failed.error);
    for (let at = 0; at < followed.length; at += 1) {
      const { state, handled, reason } = followed[at] ?? { state: "fulfilled", handled: true };
      if (state === "pending")
        return describe(new TestError("a promise in the tests is still pending at their end"));
      if (state === "rejected" && !handled)
        return describe(
          new TestError(
            `a promise in the tests was rejected and is not awaited: ${text(Object(reason).message ?? inspect(reason))}`,
          ),
        );
    }
    return "";
  }

  class TestError extends Error {
    /** @param {string} message */
    constructor(message) {
      super(message);
      this.name = "TestError";
    }
  }

  /** Never throws, whatever was thrown. @param {unknown} thrown */
  function describe(thrown) {
    const part = (/** @type {string} */ key, /** @type {number} */ most) => {
      const value = Object(thrown)[key];
      return typeof value === "string" ? apply(slice, value, [0, most]) : undefined;
    };
    try {
      const isError =
        typeof thrown === "object" && thrown !== null && getPrototypeOf(thrown) !== objectPrototype;
      const message = part("message", 2000);
      return stringify({
        name: (isError && part("name", 100)) || "Error",
        message: message ?? apply(slice, inspect(thrown), [0, 2000]),
        code: part("code", 100),
        stack: part("stack", 2000),
      });
    } catch {
      return stringify({ name: "Error", message: "a value was thrown that cannot be displayed" });
    }
  }

  return {
    describe,
    assertions: () => assertions,
    afterMain: () => afterMain,
    problem,
    /** @param {(this: object) => (...given: unknown[]) => unknown} tests @param {(...given: unknown[]) => unknown} main */
    runTests: async (tests, main) => {
      const run = apply(tests, { __proto__: null, __awaiter: awaiter }, []);
      return await run(assert, fake, watched(main), TestPromise);
    },
    /** @param {(parameters: unknown) => unknown} main @param {string} parameters */
    invoke: async (main, parameters) => toJson(await main(parse(parameters))),
  };
};
