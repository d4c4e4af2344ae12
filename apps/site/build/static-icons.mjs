import { readFile } from "node:fs/promises";
import { z } from "zod";

const icon = /[\\/]@lucide[\\/]svelte[\\/]dist[\\/]icons[\\/][\w-]+\.svelte$/;
const data = /^const iconData = (\{.*\});$/m;

const Attributes = z.record(z.string(), z.union([z.string(), z.number()]));
const Icon = z.object({ size: z.number(), node: z.array(z.tuple([z.string(), Attributes])) });

/**
 * Builds each icon as fixed markup. The library's own component sets the attributes of every shape when it hydrates, which takes
 * a slow phone 5 to 20 ms per icon; markup without expressions takes it nothing.
 * @returns {import("vite").Plugin}
 */
export function staticIcons() {
  return {
    name: "metahuman:static-icons",
    enforce: "pre",
    load: {
      filter: { id: icon },
      async handler(id) {
        return (
          iconMarkup(await readFile(id, "utf8")) ?? this.error(`${id} does not have the form of an icon.`)
        );
      },
    },
  };
}

/**
 * The markup for the source of an icon's component, or `undefined` if the source has another form.
 * @param {string} source @returns {string | undefined}
 */
export function iconMarkup(source) {
  const json = data.exec(source)?.[1];
  if (json === undefined) return undefined;
  const { size, node } = Icon.parse(JSON.parse(json));
  const shapes = node.map(([tag, attributes]) => `<${tag}${written(attributes)} />`).join("");
  return `<svg class="lucide-icon" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${shapes}</svg>`;
}

/** @param {z.infer<typeof Attributes>} attributes @returns {string} */
function written(attributes) {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join("");
}
