import { expect, it } from "vitest";
import { ollamaAddress } from "./open-provider.ts";

it.each([
  [undefined, "http://127.0.0.1:11434"],
  ["", "http://127.0.0.1:11434"],
  ["gpu-box", "http://gpu-box:11434"],
  ["gpu-box:8000", "http://gpu-box:8000"],
  ["gpu-box:80", "http://gpu-box"],
  [":80", "http://127.0.0.1"],
  [":8000", "http://127.0.0.1:8000"],
  ["0.0.0.0:11434", "http://127.0.0.1:11434"],
  ["::1", "http://[::1]:11434"],
  ["[::1]", "http://[::1]:11434"],
  ["[::1]:8000", "http://[::1]:8000"],
  ["fd00::7", "http://[fd00::7]:11434"],
  ["::", "http://127.0.0.1:11434"],
  ["https://models.example/ollama/", "https://models.example/ollama"],
  ["not a host", "http://127.0.0.1:11434"],
])("parses OLLAMA_HOST %s as %s", (given, address) => {
  expect(ollamaAddress(given)).toBe(address);
});
