/**
 * A stand-in for a schema that is created when it is first used; `lazySchemas` of the build puts it around the schemas of the
 * contract. Schemas that contain the stand-in do not create its schema until they validate that part.
 */
export function lazySchema<Schema extends object>(create: () => Schema): Schema;
export function lazySchema(create: () => object): object {
  let schema: object | undefined;
  const created = (): object => (schema ??= create());
  return new Proxy(
    {},
    {
      // Methods run on the schema itself, so that zod never keeps state on the stand-in.
      get(_, key): unknown {
        const value: unknown = Reflect.get(created(), key);
        return value instanceof Function ? Reflect.apply(Function.prototype.bind, value, [created()]) : value;
      },
      has: (_, key) => key in created(),
      set: (_, key, value) => Reflect.set(created(), key, value),
    },
  );
}
