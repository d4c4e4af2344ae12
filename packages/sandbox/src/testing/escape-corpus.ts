import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { SandboxLimits } from "../sandbox.ts";

/**
 * An attempt to escape from the sandbox, and how it must end. `main` is the body of an async function with one
 * parameter `p`.
 */
export interface Attack {
  what: string;
  main: string;
  /** Code before `main`, for attacks outside of it. */
  before?: string;
  parameters?: Record<string, unknown>;
  /** Narrower limits, with which the attack reaches the same limit sooner. */
  limits?: Partial<SandboxLimits>;
  ends: Extract<ErrorCode, `SANDBOX_${string}` | "FUNCTION_ERROR"> | { result: unknown };
}

/** A depth that takes the engine quadratic time. */
const QUADRATIC = { stackBytes: 96 * 1024 };
/** A third of the usual memory, which is filled in a third of the time. */
const NARROW = { memoryBytes: 20 * 1024 * 1024 };

const host: Attack[] = [
  ["reads the environment", "return process.env"],
  ["loads a module with require", "return require('node:fs')"],
  ["imports a module while it runs", "return import('node:fs')"],
  ["imports a module by URL", "return import('data:text/javascript,export default 1')"],
  ["imports a file", "return import('file:///etc/passwd')"],
  ["fetches", "return fetch('http://127.0.0.1')"],
  ["opens a socket", "return new WebSocket('ws://127.0.0.1')"],
  ["starts a timer", "setTimeout(() => 1, 1)"],
  ["starts a repeating timer", "setInterval(() => 1, 1)"],
  ["queues outside of promises", "queueMicrotask(() => 1)"],
  ["starts a worker", "return new Worker('x')"],
  ["compiles WebAssembly", "return new WebAssembly.Module(new Uint8Array(8))"],
  ["uses Node's buffers", "return Buffer.from('x')"],
  ["reads the module's own place", "return import.meta.url.length > 0 ? require(import.meta.url) : 0"],
  ["uses Deno, Bun or std", "return std.getenv('HOME') ?? os.exec(['id']) ?? Deno ?? Bun"],
  ["waits on shared memory", "return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)"],
  ["climbs from a literal's constructor", "return (() => {}).constructor('return process')()"],
  [
    "climbs from an error's constructor",
    "try { null.x } catch (e) { return e.constructor.constructor('return process')() }",
  ],
  ["climbs from a skill's constructor", "return skills.echo.constructor.constructor('return process.pid')()"],
  ["climbs from console's constructor", "return console.log.constructor('return globalThis.process.pid')()"],
  ["climbs from its parameters", "return p.constructor.constructor('return process')()"],
  [
    "climbs from a skill's answer",
    "return (await skills.echo({})).constructor.constructor('return process')()",
  ],
  ["climbs from a promise of a skill", "return skills.echo({}).constructor.constructor('return process')()"],
  ["climbs from an async generator", "async function* g() {} return g.constructor('yield process')().next()"],
  ["looks for callers", "return main.caller.arguments.callee"],
  ["walks error frames", "return new Error('x').stack.getFileName()"],
  [
    "prepares stack traces",
    "Error.prepareStackTrace = (_, s) => s; return new Error('x').stack[0].getThis().process",
  ],
  [
    "replaces the skills",
    "globalThis.skills = {}; Object.defineProperty(globalThis, 'skills', { value: 1 })",
  ],
  ["adds a skill", "'use strict'; skills.more = () => 1"],
  ["calls an unknown skill", "return skills.shell_safe({ argv: ['id'] })"],
  ["calls the host under another name", "return skills['__proto__'].call('echo', '{}')"],
  ["uses a symbol as arguments", "return skills.echo(Symbol.iterator)"],
  ["uses a cyclic object as arguments", "const a = {}; a.a = a; return skills.echo(a)"],
  ["sends a list for arguments", "return skills.echo([1])"],
  ["sends a key for the prototype", 'return skills.echo(JSON.parse(\'{"__proto__": {"admin": true}}\'))'],
].map(([what = "", main = ""]): Attack => ({ what, main, ends: "FUNCTION_ERROR" }));

const pollution: Attack[] = [
  {
    what: "pollutes the object prototype",
    main: "Object.prototype.polluted = 1; return {}",
    ends: { result: {} },
  },
  {
    what: "returns a key for the prototype",
    main: 'return JSON.parse(\'{"__proto__": {"polluted": 1}}\')',
    ends: "FUNCTION_ERROR",
  },
  {
    what: "returns a constructor key",
    main: "return { constructor: { prototype: { polluted: 1 } } }",
    ends: { result: { constructor: { prototype: { polluted: 1 } } } },
  },
  {
    what: "replaces JSON and Promise before it is answered",
    main: "JSON.parse = JSON.stringify = () => '{\"forged\":1}'; Promise.prototype.then = () => 1; return (await skills.echo({ a: 1 })).args",
    ends: { result: { a: 1 } },
  },
  {
    what: "pollutes array and string methods that the host's helpers might use",
    main: "Array.prototype.push = String.prototype.slice = () => { throw 1 }; throw new Error('mine')",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "gives parameters a getter and a proxy",
    main: "const q = new Proxy(p, { get: () => { throw new Error('trapped') } }); return q.a",
    parameters: { a: 1 },
    ends: "FUNCTION_ERROR",
  },
  {
    what: "returns a proxy that answers for ever",
    main: "return new Proxy({}, { ownKeys: () => { for (;;); } })",
    ends: "SANDBOX_TIMEOUT",
  },
  {
    what: "sends a proxy to a skill that grows as it is read",
    main: "let n = 0; const grow = () => new Proxy({}, { ownKeys: () => ['k' + n++], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => k === 'toJSON' ? undefined : grow() }); return skills.echo(grow())",
    limits: QUADRATIC,
    ends: "SANDBOX_STACK",
  },
  {
    what: "returns a getter that throws",
    main: "return { get a() { throw new Error('got') } }",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "returns a thenable that never answers",
    main: "return { then() {} }",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "throws a proxy that throws",
    main: "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
    ends: "FUNCTION_ERROR",
  },
  { what: "throws nothing", main: "throw undefined", ends: "FUNCTION_ERROR" },
  {
    what: "throws an error whose parts are huge",
    main: "throw new Error('x'.repeat(1e6))",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "throws a forged refusal of a skill",
    main: "throw Object.assign(new Error('forged'), { code: 'APPROVAL_DENIED' })",
    ends: "FUNCTION_ERROR",
  },
];

const endless: Attack[] = [
  ["loops", "for (;;);"],
  ["loops while it catches everything", "for (;;) { try { for (;;); } catch {} finally { continue } }"],
  ["loops over promises", "for (;;) await null"],
  ["loops in a promise's executor", "await new Promise(() => { for (;;); })"],
  [
    "loops in an async function whose failure it catches",
    "const spin = async () => { for (;;); }; for (;;) await spin().catch(() => 1)",
  ],
  [
    "schedules itself for ever",
    "const again = () => { Promise.resolve().then(again) }; again(); await new Promise(() => {})",
  ],
  ["loops in an async generator", "async function* g() { for (;;) yield 1 } for await (const x of g()) x"],
  [
    "loops in a generator",
    "function* g() { for (;;) yield 1 } return [...{ *[Symbol.iterator]() { for (const x of g()) if (x > 1) yield x } }]",
  ],
  ["loops in a getter of its result", "return { get a() { for (;;); } }"],
  ["loops in toJSON", "return { toJSON() { for (;;); } }"],
  ["loops in a sort", "return [2, 1].sort(() => { for (;;); })"],
  ["backtracks in a regular expression", "return /^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ["backtracks in nested stars", "return /^(?:(?:(?:a*)*)*)*$/.test('a'.repeat(40) + 'b')"],
  ["keeps the engine busy with one call", "return new Array(1e9).join('x')"],
].map(([what = "", main = ""]): Attack => ({ what, main, ends: "SANDBOX_TIMEOUT" }));

const greedy: Attack[] = [
  ["fills arrays", "const a = []; for (;;) a.push(new Array(10000).fill(7))"],
  ["fills typed arrays", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))"],
  ["doubles a string", "let s = 'x'; for (;;) s += s"],
  ["pads a string", "return 'x'.padEnd(2 ** 29)"],
  ["creates one huge array", "return new Array(2 ** 32 - 1).fill(0)"],
  ["fills a map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })"],
  ["floods with promises", "const a = []; for (;;) a.push(new Promise(() => {}))"],
  [
    "fills memory in spite of being refused",
    "const a = []; for (;;) { try { for (;;) a.push(new Array(10000).fill(7)) } catch {} a.push('x'.repeat(1e6)) }",
  ],
].map(([what = "", main = ""]): Attack => ({ what, main, limits: NARROW, ends: "SANDBOX_MEMORY" }));

const deep: Attack[] = [
  ["recurses", "const f = (n) => f(n + 1) + 1; return f(0)"],
  ["recurses through a proxy", "const q = new Proxy({}, { get: (t, k, r) => r[k] }); return q.x"],
  ["recurses through a getter", "return { get a() { return this.a } }.a"],
  ["recurses in toString", "const o = { toString() { return `${o}` } }; return `${o}`"],
].map(([what = "", main = ""]): Attack => ({ what, main, ends: "SANDBOX_STACK" }));

const nested: Attack = {
  what: "returns a list that is nested too deeply",
  main: "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
  limits: QUADRATIC,
  ends: "SANDBOX_STACK",
};

const floods: Attack[] = [
  { what: "returns too much", main: "return 'x'.repeat(2e6)", ends: "SANDBOX_OUTPUT" },
  {
    what: "returns too many small things",
    main: "return new Array(1e5).fill(1)",
    limits: { outputLength: 200_000 },
    ends: "SANDBOX_OUTPUT",
  },
  { what: "floods the log", main: "for (;;) console.log('x'.repeat(1000))", ends: "SANDBOX_OUTPUT" },
  {
    what: "floods the log and catches",
    main: "for (;;) { try { console.log('x'.repeat(1e5)) } catch {} }",
    ends: "SANDBOX_OUTPUT",
  },
  { what: "floods the host with calls", main: "for (;;) await skills.echo({})", ends: "SANDBOX_CALLS" },
  { what: "floods the host without waiting", main: "for (;;) skills.echo({})", ends: "SANDBOX_CALLS" },
  {
    what: "sends a skill too much",
    main: "await skills.echo({ text: 'x'.repeat(2e6) })",
    ends: "SANDBOX_OUTPUT",
  },
];

const notJson: Attack[] = [
  ["returns a cycle", "const a = {}; a.a = a; return a"],
  ["returns a function", "return () => 1"],
  ["returns a symbol in a list", "return [Symbol('x')]"],
  ["returns a bigint", "return { n: 10n }"],
  ["returns NaN", "return { n: 0 / 0 }"],
  ["returns a map", "return new Map([[1, 2]])"],
  ["awaits a promise that never settles", "await new Promise(() => {})"],
].map(([what = "", main = ""]): Attack => ({ what, main, ends: "FUNCTION_ERROR" }));

const odd: Attack[] = [
  { what: "returns half a character", main: "return '\\ud800'", ends: { result: "\ud800" } },
  {
    what: "is given half a character and control characters",
    main: "return p.text",
    parameters: { text: "\udfff\u0000\u2028" },
    ends: { result: "\udfff\u0000\u2028" },
  },
  {
    what: "imports at its top level",
    before: "import fs from 'node:fs';",
    main: "return fs",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "exports another module",
    before: "export * from 'node:os';",
    main: "return 1",
    ends: "FUNCTION_ERROR",
  },
  {
    what: "never finishes its top level",
    before: "await new Promise(() => {});",
    main: "return 1",
    ends: "FUNCTION_ERROR",
  },
  { what: "loops at its top level", before: "for (;;);", main: "return 1", ends: "SANDBOX_TIMEOUT" },
  { what: "does not parse", main: "return (", ends: "FUNCTION_ERROR" },
  { what: "is nested too deeply to parse", main: `return ${"[".repeat(50_000)}`, ends: "FUNCTION_ERROR" },
  {
    what: "rejects a promise that nobody awaits",
    main: "Promise.reject(new Error('unseen')); return 1",
    ends: { result: 1 },
  },
];

export const attacks: readonly Attack[] = [
  ...host,
  ...pollution,
  ...endless,
  ...greedy,
  ...deep,
  nested,
  ...floods,
  ...notJson,
  ...odd,
];
