import { ModelsConfig } from "@metahuman/core/contract/models";
import { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { describe, expect, it } from "vitest";
import { functionSecrets } from "./function-secrets.ts";

const env = { TIDE_KEY: "moon-and-sun", LAB_KEY: "of-the-lab" };
const models = ModelsConfig.parse({
  providers: {
    lab: {
      kind: "openai-compatible",
      baseUrl: "http://lab.example/v1",
      apiKeyVariable: "LAB_KEY",
      enabled: false,
    },
  },
});

const secretsWith = (skills: unknown) =>
  functionSecrets({ env, config: () => ({ models, skills: SkillsConfig.parse(skills) }) });

describe("what functions may be granted as a secret", () => {
  it("is any variable of the environment where the owner lists none, but not the key of a model server", () => {
    const secret = secretsWith({});
    expect(secret("TIDE_KEY")).toBe("moon-and-sun");
    expect(secret("UNSET_KEY")).toBeUndefined();
    expect(() => secret("LAB_KEY")).toThrow(PermissionDeniedError);
  });

  it("is what the owner lists and nothing else, and still no key of a model server", () => {
    const secret = secretsWith({ secrets: ["TIDE_KEY", "LAB_KEY"] });
    expect(secret("TIDE_KEY")).toBe("moon-and-sun");
    expect(() => secret("OTHER_KEY")).toThrow(PermissionDeniedError);
    expect(() => secret("LAB_KEY")).toThrow(PermissionDeniedError);
    expect(() => secretsWith({ secrets: [] })("TIDE_KEY")).toThrow(PermissionDeniedError);
  });

  it("is never the key of the audit log, also where the owner lists it", () => {
    expect(() => secretsWith({})("METAHUMAN_SECRET_KEY")).toThrow(PermissionDeniedError);
    const listed = secretsWith({ secrets: ["METAHUMAN_SECRET_KEY"] });
    expect(() => listed("METAHUMAN_SECRET_KEY")).toThrow(PermissionDeniedError);
  });

  it("is listed by names that code can write", () => {
    expect(SkillsConfig.safeParse({ secrets: ["tide key"] }).success).toBe(false);
  });
});
