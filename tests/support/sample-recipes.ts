/** A recipe that notes a person and a mail address; as the body of `POST /api/functions`. */
export const CONTACT_RECIPE = {
  title: "Add a contact",
  summary: "Adds a person and their mail address to the contacts.",
  steps: ["Append a line to the contacts"],
  skillsUsed: ["fs_append"],
  kind: "recipe",
  parameters: [
    { name: "name", type: "string", description: "the person's name", required: true },
    { name: "email", type: "string", description: "the mail address", required: true },
  ],
  examples: [
    {
      prompt: "add a contact: Lena Fischer, lena@fischer.example",
      parameters: { name: "Lena Fischer", email: "lena@fischer.example" },
    },
  ],
  recipe: {
    promptTemplates: ["add a contact: {name}, {email}"],
    actions: [
      { skill: "fs_append", args: { path: "contacts.md", text: "- ${name} <${email}>" }, expect: [] },
    ],
  },
};

/** A recipe with one required value; as the body of `POST /api/functions`. */
export const SOWING_RECIPE = {
  title: "Note a sowing",
  summary: "Notes what was sown in the garden.",
  steps: ["Append a line to the garden notes"],
  skillsUsed: ["fs_append"],
  kind: "recipe",
  parameters: [{ name: "plant", type: "string", description: "What was sown", required: true }],
  examples: [{ prompt: "note the sowing of beans", parameters: { plant: "beans" } }],
  recipe: {
    promptTemplates: ["note the sowing of {plant}"],
    actions: [{ skill: "fs_append", args: { path: "garden.md", text: "- ${plant}" }, expect: [] }],
  },
};
