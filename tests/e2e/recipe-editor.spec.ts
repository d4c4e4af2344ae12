import { expectAccessible, keepScreen } from "./looking.ts";
import { alive, expect, test } from "./support.ts";

test("a recipe's calls are composed by keyboard, with their problems shown, and verified again", async ({
  page,
  owner,
}) => {
  await page.goto("/functions");
  await alive(page);
  await page.getByRole("button", { name: "New", exact: true }).press("Enter");
  await page.getByRole("button", { name: "Write a function" }).press("Enter");
  const editor = page.getByRole("dialog", { name: "Write a function" });
  await editor.getByRole("radio", { name: /Recipe/ }).press("Space");
  // Its steps are what its calls do, so that no step can say something else.
  await expect(editor.getByRole("button", { name: "Add a step" })).toHaveCount(0);
  await editor.getByLabel("Title").fill("Keep a list and show it");
  await editor.getByLabel("Triggers").fill("keep the {name} list");
  await editor.getByRole("button", { name: "Add a parameter" }).press("Enter");
  await editor.getByLabel("Name of parameter 1").fill("name");
  const reading = editor.getByRole("group", { name: "Call 1", exact: true });
  await reading.getByLabel("Skill of call 1").selectOption("fs_read");
  await reading.getByLabel("path", { exact: true }).fill("${steps.1.path}");
  await expect(reading.getByLabel("path", { exact: true })).toHaveAccessibleDescription(
    /call 1, which does not come before this one/,
  );
  await editor.getByRole("button", { name: "Add a call" }).press("Enter");
  await expect(editor.getByLabel("Skill of call 2")).toBeFocused();
  await editor.getByLabel("Skill of call 2").selectOption("fs_write");
  const writing = editor.getByRole("group", { name: "Call 2", exact: true });
  await writing.getByLabel("path", { exact: true }).fill("out/lists/${nam}.md");
  await writing.getByRole("button", { name: "Add an expectation" }).press("Enter");
  await page.keyboard.type("path");
  await expectAccessible(page, "a recipe's calls", "all");

  await keepScreen(page, "recipe-editor");
  await page.keyboard.press("Control+s");
  await expect(editor.getByRole("alert")).toContainText("Fix the calls before saving.");
  await expect(reading.getByLabel("path", { exact: true })).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("out/lists/${name}.md");
  await editor.getByRole("button", { name: "Move call 2 up" }).press("Enter");
  await expect(editor.getByLabel("Skill of call 1")).toBeFocused();
  const moved = editor.getByRole("group", { name: "Call 1", exact: true });
  await expect(moved.getByLabel("content", { exact: true })).toHaveAccessibleDescription(/Required/);
  await moved.getByLabel("content", { exact: true }).fill("# ${name}");
  await expect(moved.getByLabel("path", { exact: true })).toHaveAccessibleDescription(
    /There is no parameter nam\./,
  );
  await moved.getByLabel("path", { exact: true }).fill("out/lists/${name}.md");
  await page.keyboard.press("Control+s");
  await expect(editor).toBeHidden();
  const { body } = await owner.get("/api/functions?query=keep%20a%20list");
  expect(body).toMatchObject({
    items: [
      {
        kind: "recipe",
        steps: [
          expect.stringMatching(/ \(fs_write\): path = out\/lists\/\$\{name\}\.md, content = # \$\{name\}$/),
          expect.stringMatching(/ \(fs_read\): path = out\/lists\/\$\{name\}\.md$/),
        ],
        skillsUsed: ["fs_write", "fs_read"],
        recipe: {
          promptTemplates: ["keep the {name} list"],
          actions: [
            {
              skill: "fs_write",
              args: { path: "out/lists/${name}.md", content: "# ${name}" },
              expect: [{ field: "path", is: "present" }],
            },
            { skill: "fs_read", args: { path: "out/lists/${name}.md" } },
          ],
        },
      },
    ],
  });

  const detail = page.getByRole("article");
  await detail.getByRole("button", { name: "Verify" }).press("Enter");
  await expect(detail.getByText("Arguments fit the skills")).toBeVisible();
  await detail.getByRole("button", { name: "Edit" }).press("Enter");
  const again = page.getByRole("dialog", { name: "Edit the function" });
  await again.getByRole("button", { name: "Remove call 2" }).press("Enter");
  await again.getByLabel("content", { exact: true }).fill("## ${name}");
  await page.keyboard.press("Control+s");
  await expect(again).toBeHidden();
  await expect(detail.getByText("It has changed since")).toBeVisible();
  await expect(detail.getByRole("listitem").filter({ hasText: "Write a text file" })).toContainText(
    "## name",
  );
  await expect(detail).not.toContainText("(fs_read)");
  await expect(detail.getByText("version 2")).toBeVisible();
});
