import { ModelsConfig } from "@metahuman/core/contract/models";
import { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { describe, expect, it } from "vitest";
import { functionSecrets } from "./open-code-runner.ts";

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

describe("the secrets that functions may be granted", () => {
  it("are all environment variables without a list, except the keys of model servers", () => {
    const secret = secretsWith({});
    expect(secret("TIDE_KEY")).toBe("moon-and-sun");
    expect(secret("UNSET_KEY")).toBeUndefined();
    expect(() => secret("LAB_KEY")).toThrow(PermissionDeniedError);
  });

  it("are only the listed variables, except the keys of model servers", () => {
    const secret = secretsWith({ secrets: ["TIDE_KEY", "LAB_KEY"] });
    expect(secret("TIDE_KEY")).toBe("moon-and-sun");
    expect(() => secret("OTHER_KEY")).toThrow(PermissionDeniedError);
    expect(() => secret("LAB_KEY")).toThrow(PermissionDeniedError);
    expect(() => secretsWith({ secrets: [] })("TIDE_KEY")).toThrow(PermissionDeniedError);
  });

  it("never include the key of the audit log, even if it is listed", () => {
    expect(() => secretsWith({})("METAHUMAN_SECRET_KEY")).toThrow(PermissionDeniedError);
    const listed = secretsWith({ secrets: ["METAHUMAN_SECRET_KEY"] });
    expect(() => listed("METAHUMAN_SECRET_KEY")).toThrow(PermissionDeniedError);
  });

  it("can only be listed by valid names", () => {
    expect(SkillsConfig.safeParse({ secrets: ["tide key"] }).success).toBe(false);
  });
});
