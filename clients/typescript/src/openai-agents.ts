/**
 * Helve's tools for the OpenAI Agents SDK: function tools for an Agent.
 *
 * @module
 */
import type { Tool } from "@openai/agents";
import type { Helve } from "./client.js";
import { contentOf, contentOfError, toolset, type ToolsetOptions } from "./toolset.js";

/** The type of a schema that the SDK does not make strict. */
type Parameters = { type: "object"; properties: Record<string, { type: string }>; required: string[]; additionalProperties: true };

/**
 * Returns the tools of an agent. The model is shown what Helve's own messages contain, also of a
 * failed call; an error that is not of a call ends the run.
 */
export async function helveTools(helve: Helve, options: ToolsetOptions = {}): Promise<Tool[]> {
  const { tool } = await import("@openai/agents");
  const offered = await toolset(helve, options);
  return offered.map(({ name, description, parameters, run }) =>
    tool({
      name, description,
      parameters: { ...parameters, additionalProperties: true } as Parameters,
      strict: false,
      execute: async (input, _context, details) => JSON.stringify(contentOf(await run(input, { id: details?.toolCall?.callId, signal: details?.signal }))),
      errorFunction: (_context, err) => JSON.stringify(contentOfError(err)),
    }),
  );
}
