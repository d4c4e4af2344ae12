/** Each would set a mark in `window`, or add a foreign element, if any of it were interpreted as more than text. */
export const CORPUS = [
  "<script>window.hit=1</script>",
  "<img src=x onerror=window.hit=1>",
  "<svg/onload=window.hit=1>",
  "<x-foreign onpointerenter=window.hit=1>",
  "[a](javascript:window.hit=1)",
  "[a](&#106;avascript:window.hit=1)",
  "[a](data:text/html,<script>window.hit=1</script>)",
  "![a](javascript:window.hit=1)",
  "<a href='javascript:window.hit=1'>a</a>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<style>*{display:none}</style>",
  "<base href='https://tracker.invalid/'>",
  "<form action='javascript:window.hit=1'><button formaction='javascript:window.hit=1'>",
  "</pre></code></textarea></title></script><script>window.hit=1</script>",
  "{@html '<b>x</b>'}{{constructor.constructor('window.hit=1')()}}${window.hit=1}",
  "```\n</code></pre><img src=x onerror=window.hit=1>\n```",
  "| <img src=x onerror=window.hit=1> | [a](javascript:window.hit=1) |\n|---|---|\n| <svg/onload=window.hit=1> | `<x-foreign>` |",
  "![pixel](https://tracker.invalid/p.png)",
];
export const ALL = CORPUS.join("\n\n");
/** For fields of one line. */
export const LINE = "<img src=x onerror=window.hit=1><x-foreign>&lt;b&gt;</title>";
export const FILE = "<img src=x onerror=window.hit=1>";
export const MODEL = "plans<img/src=x/onerror=window.hit=1><x-foreign>:4b";

/**
 * Looks at every element and attribute from the moment it is put into a page, also between two parts of a streamed
 * answer, and records whatever runs, loads, or is foreign.
 */
export const WATCH = `(() => {
  window.foreign = [];
  const LINKS = /^(href|src|action|formaction|xlink:href)$/;
  const look = (element) => {
    const name = element.localName;
    if (["img", "iframe", "object", "embed", "base", "x-foreign", "marquee"].includes(name)) foreign.push(name);
    if (["script", "style"].includes(name) && element.closest("main, dialog, aside, header")) foreign.push(name);
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith("on") || attribute === "srcdoc") foreign.push(name + " " + attribute);
      if (LINKS.test(attribute) && !/^(\\/|\\?|#|https?:|mailto:)/.test(value)) foreign.push(name + " " + value);
    }
  };
  const lookInto = (node) => {
    if (node.nodeType !== 1) return;
    look(node);
    for (const inner of node.querySelectorAll("*")) look(inner);
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "attributes") look(target);
      else for (const node of addedNodes) lookInto(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
})()`;
