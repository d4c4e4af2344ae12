import { expect, it } from "vitest";
import { LazyComponent } from "./lazy-component.svelte.ts";

it("is absent until it is loaded, and is loaded once", async () => {
  let times = 0;
  const lazy = new LazyComponent(async () => {
    times += 1;
    return { default: "renderer" };
  });
  expect(lazy.component).toBeUndefined();
  await Promise.all([lazy.load(), lazy.load()]);
  expect(lazy.component).toBe("renderer");
  expect(times).toBe(1);
});

it("is loaded again after loading failed", async () => {
  let online = false;
  const lazy = new LazyComponent(async () => {
    if (!online) throw new TypeError("Failed to fetch");
    return { default: "renderer" };
  });
  await lazy.load();
  expect(lazy.component).toBeUndefined();
  online = true;
  await lazy.load();
  expect(lazy.component).toBe("renderer");
});

it("is rendered at once when it is loaded, and as a promise before", async () => {
  const lazy = new LazyComponent(async () => ({ default: "card" }));
  await expect(lazy.ready).resolves.toBe("card");
  expect(lazy.ready).toBe("card");
});

it("rejects for what waits for it if it cannot be loaded", async () => {
  const lazy = new LazyComponent<string>(async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(lazy.ready).rejects.toThrow("Failed to fetch");
});
