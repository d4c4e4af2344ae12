import { z } from "zod";

const icon = /\/@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/;
const drawing = /const iconData = (?<json>\{.*\});/;
const Drawing = z.object({
  size: z.number(),
  node: z.array(z.tuple([z.string(), z.record(z.string(), z.string())])),
});

/**
 * Builds each icon as the few fixed shapes it is. The library's own draws every shape from data, attribute by attribute, which
 * costs a slow telephone 7 ms an icon whenever one appears. All that an icon may be given is a `fill`.
 * @returns {import("vite").Plugin}
 */
export function flatIcons() {
  return {
    name: "metahuman:flat-icons",
    enforce: "pre",
    apply: "build",
    transform: {
      filter: { id: icon },
      handler(code, id) {
        const json = drawing.exec(code)?.groups?.json;
        if (json === undefined) this.error(`${id} holds no icon in the form that is known here.`);
        return { code: flat(Drawing.parse(JSON.parse(json))), map: null };
      },
    },
  };
}

/** @param {z.infer<typeof Drawing>} icon */
function flat({ size, node }) {
  const shapes = node.map(([tag, attributes]) => `<${tag}${written(attributes)} />`).join("");
  const look = written({
    class: "lucide-icon",
    width: size,
    height: size,
    viewBox: `0 0 ${size} ${size}`,
    stroke: "currentColor",
    "stroke-width": 2,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true",
  });
  return `<script>let { fill = "none" } = $props();</script><svg${look} {fill}>${shapes}</svg>`;
}

/** @param {Record<string, string | number>} attributes */
function written(attributes) {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join("");
}
