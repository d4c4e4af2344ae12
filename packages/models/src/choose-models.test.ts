import { describe, expect, it } from "vitest";
import { chooseModels, type OfferedModel } from "./choose-models.ts";

const model = (
  name: string,
  parameterSize: string,
  abilities?: OfferedModel["info"]["abilities"],
): OfferedModel => ({
  ref: `ollama/${name}`,
  info: { name, parameterSize, ...(abilities && { abilities }) },
});
const chat = (name: string, size: string) => model(name, size, ["chat", "tools"]);

describe("choosing models without configuration", () => {
  it("prefers the largest model within the default size, and sorts larger models last, smallest first", () => {
    const offered = [
      chat("tiny:1b", "1.0B"),
      chat("huge:70b", "70B"),
      chat("big:32b", "32B"),
      chat("middle:8b", "8.0B"),
      chat("small:4b", "4.0B"),
    ];
    expect(chooseModels("planner", offered)).toEqual([
      "ollama/middle:8b",
      "ollama/small:4b",
      "ollama/tiny:1b",
      "ollama/big:32b",
      "ollama/huge:70b",
    ]);
  });

  it("prefers a model that can call tools to a larger one that cannot", () => {
    const offered = [model("plain:8b", "8B", ["chat"]), chat("handy:4b", "4B")];
    expect(chooseModels("planner", offered)[0]).toBe("ollama/handy:4b");
  });

  it("never chooses an embedding model for chat or a chat model for embedding", () => {
    const offered = [
      model("nomic-embed-text:latest", "137M", ["embedding"]),
      chat("small:4b", "4B"),
      model("mxbai-embed-large:latest", "335M"),
    ];
    expect(chooseModels("persona", offered)).toEqual(["ollama/small:4b"]);
    expect(chooseModels("embedder", offered)).toEqual(["ollama/nomic-embed-text:latest"]);
  });

  it("chooses no embedder other than the default one", () => {
    expect(chooseModels("embedder", [model("mxbai-embed-large:latest", "335M", ["embedding"])])).toEqual([]);
  });

  it("chooses nothing when no model is available", () => {
    expect(chooseModels("planner", [])).toEqual([]);
  });
});
