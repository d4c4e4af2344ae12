import { MemoryParams } from "../../../../server/api/params.ts";
import { Nothing, route } from "../../../../server/api/route.ts";

export const POST = route(
  {
    summary: "Record that a person opened this memory from a search, which counts as a use",
    needs: "canWriteMemory",
    input: { params: MemoryParams },
    output: Nothing,
  },
  async ({ params: { id }, caller: { profile } }) => {
    await profile.memory.get(id);
    await profile.memory.used([id], { kind: "opened" });
  },
);
