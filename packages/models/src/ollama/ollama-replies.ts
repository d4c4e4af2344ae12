import { z } from "zod";

/** The fields of Ollama's replies that are read here. */
export const OllamaChatPart = z.looseObject({
  message: z
    .looseObject({
      content: z.string().default(""),
      thinking: z.string().optional(),
      tool_calls: z
        .array(
          z.looseObject({
            function: z.looseObject({
              name: z.string(),
              /** An object; some compatible servers send its JSON text. */
              arguments: z.unknown(),
            }),
          }),
        )
        .optional(),
    })
    .optional(),
  done: z.boolean().optional(),
  done_reason: z.string().optional(),
  prompt_eval_count: z.int().nonnegative().optional(),
  eval_count: z.int().nonnegative().optional(),
  eval_duration: z.number().nonnegative().optional(),
});
export type OllamaChatPart = z.infer<typeof OllamaChatPart>;

/** The client reports a finished deletion itself. */
export const OllamaDone = z.looseObject({ status: z.string() });

export const OllamaList = z.looseObject({
  models: z.array(
    z.looseObject({
      name: z.string(),
      size: z.number().optional(),
      details: z
        .looseObject({ family: z.string().optional(), parameter_size: z.string().optional() })
        .optional(),
    }),
  ),
});

export const OllamaShow = z.looseObject({
  details: z.looseObject({ family: z.string().optional(), parameter_size: z.string().optional() }).optional(),
  /** Keys are prefixed with the architecture: `qwen3.context_length`. */
  model_info: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.array(z.string()).optional(),
});
export type OllamaShow = z.infer<typeof OllamaShow>;

export const OllamaEmbeddings = z.looseObject({ embeddings: z.array(z.array(z.number()).min(1)) });

export const OllamaPull = z.looseObject({
  status: z.string(),
  total: z.number().optional(),
  completed: z.number().optional(),
});
