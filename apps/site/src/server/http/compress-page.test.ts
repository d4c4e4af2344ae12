import { expect, it } from "vitest";
import { compressPage } from "./compress-page.ts";

const page = () =>
  new Response("<p>Words, words, words.</p>", {
    status: 404,
    headers: { "Content-Type": "text/html; charset=utf-8" },
  });

it("sends a page with gzip to clients that accept it, and unchanged to others", async () => {
  const packed = compressPage(page(), "deflate, gzip;q=0.5");
  expect(packed.status).toBe(404);
  expect(packed.headers.get("Content-Encoding")).toBe("gzip");
  const unpacked = packed.body?.pipeThrough(new DecompressionStream("gzip"));
  expect(await new Response(unpacked).text()).toBe("<p>Words, words, words.</p>");

  const plain = compressPage(page(), "gzip;q=0, br");
  expect(plain.headers.get("Content-Encoding")).toBeNull();
  expect(await plain.text()).toBe("<p>Words, words, words.</p>");
});

it("declares in both that they vary by the encoding", () => {
  for (const asked of ["gzip", null])
    expect(compressPage(page(), asked).headers.get("Vary")).toBe("Accept-Encoding");
});

it("leaves responses that are not pages unchanged", () => {
  const answer = Response.json({ items: [] });
  expect(compressPage(answer, "gzip")).toBe(answer);
  const redirect = new Response(null, { status: 302 });
  expect(compressPage(redirect, "gzip")).toBe(redirect);
});
