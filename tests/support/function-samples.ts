/** A guide for files about food. */
export const KITCHEN = {
  title: "Make a kitchen file",
  summary: "A file about food goes to the kitchen folder.",
  steps: ["Make the file in out/kitchen/, named after the dish"],
  skillsUsed: ["fs_write"],
  kind: "guide",
  parameters: [
    {
      name: "path",
      type: "path",
      description: "Where it goes",
      required: false,
      default: "out/kitchen/<name>.md",
    },
  ],
  examples: [{ prompt: "make sandwich file", resultPath: "out/kitchen/sandwich.md" }],
};
