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
