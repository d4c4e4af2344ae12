/** The code in one task, the page in the next: an empty timer lies between them. @type {import("astro").ClientDirective} */
export default async function turn(load) {
  const hydrate = await load();
  await new Promise((resolve) => setTimeout(resolve));
  await hydrate();
}
