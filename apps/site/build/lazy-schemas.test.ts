import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { lazySchema } from "../src/lib/api/lazy-schema.ts";
import { createLazily, schemasOf } from "./lazy-schemas.mjs";

const contract = globSync("packages/core/src/contract/*.ts").filter((file) => !file.endsWith(".test.ts"));
const namesIn = (code: string) => schemasOf(parseSync("module.ts", code).program).map(({ name }) => name);

describe("the schemas of a module", () => {
  it("are the results of zod, another schema or a function that creates schemas", () => {
    const code = `
      import { z } from "zod";
      import { Page } from "@metahuman/core/contract/http";
      const step = z.int().positive();
      export const Task = z.strictObject({ step });
      export const TaskEdit = Task.partial().extend({ note: z.string() });
      export const TaskPage = Page(Task);
    `;
    expect(namesIn(code)).toEqual(["step", "Task", "TaskEdit", "TaskPage"]);
  });

  it("exclude functions, numbers, lists and results of the platform", () => {
    const code = `
      import { z } from "zod";
      export const Page = (item) => z.strictObject({ items: z.array(item) });
      export const LIMIT = Math.max(1, 2);
      export const WORDS = Object.keys({ a: 1 });
      const fields = { title: z.string() };
    `;
    expect(namesIn(code)).toEqual([]);
  });

  it("are created by the arguments of lazySchema", () => {
    const code =
      'import { z } from "zod";\nexport const Name = z.string().min(1);\nexport const LIMIT = 3;\n';
    expect(createLazily(code, schemasOf(parseSync("module.ts", code).program))).toMatch(
      /^import \{ lazySchema as \$lazySchema \} from ".+lazy-schema\.ts";\nimport \{ z \} from "zod";\nexport const Name = \/\* @__PURE__ \*\/ \$lazySchema\(\(\) => z\.string\(\)\.min\(1\)\);\nexport const LIMIT = 3;\n$/u,
    );
  });

  it.each(contract)("in %s really are schemas", async (file) => {
    const exports: Record<string, unknown> = await import(pathToFileURL(file).href);
    const names = namesIn(readFileSync(file, "utf8")).filter((name) => name in exports);
    expect(names.filter((name) => !(exports[name] instanceof z.ZodType))).toEqual([]);
    const others = Object.entries(exports).filter(([, value]) => value instanceof z.ZodType);
    expect(names).toEqual(expect.arrayContaining(others.map(([name]) => name)));
  });
});

describe("a lazy schema", () => {
  const counted = <Schema extends z.ZodType>(create: () => Schema) => {
    let times = 0;
    return {
      schema: lazySchema(() => {
        times += 1;
        return create();
      }),
      times: () => times,
    };
  };

  it("is created once, when it first validates a value", () => {
    const { schema, times } = counted(() => z.strictObject({ name: z.string() }));
    expect(times()).toBe(0);
    expect(schema.parse({ name: "Ada" })).toEqual({ name: "Ada" });
    expect(schema.safeParse({ name: 3 }).error?.issues[0]?.path).toEqual(["name"]);
    expect(times()).toBe(1);
  });

  it("is not created by schemas that contain it before they validate that part", () => {
    const { schema, times } = counted(() => z.strictObject({ name: z.string() }));
    const union = z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("people"), items: z.array(schema) }),
      z.strictObject({ type: z.literal("count"), count: z.int(), first: schema.optional() }),
    ]);
    const whole = z.strictObject({ owner: schema, others: z.record(z.string(), schema) }).partial();
    const created = times();
    expect(union.parse({ type: "people", items: [] })).toEqual({ type: "people", items: [] });
    expect(whole.parse({})).toEqual({});
    expect(times()).toBe(created);
    expect(union.safeParse({ type: "people", items: [{ name: 1 }] }).error?.issues[0]?.path).toEqual([
      "items",
      0,
      "name",
    ]);
    expect(whole.parse({ others: { a: { name: "Ada" } } })).toEqual({ others: { a: { name: "Ada" } } });
  });

  it("can be extended, listed and recognized as a schema", () => {
    const { schema } = counted(() => z.strictObject({ name: z.string(), age: z.int() }));
    const options = lazySchema(() => z.enum(["one", "two"]));
    expect(schema.pick({ name: true }).extend({ at: z.string() }).parse({ name: "Ada", at: "home" })).toEqual(
      {
        name: "Ada",
        at: "home",
      },
    );
    expect(options.options).toEqual(["one", "two"]);
    expect(options).toBeInstanceOf(z.ZodEnum);
    expect("shape" in schema).toBe(true);
  });
});
