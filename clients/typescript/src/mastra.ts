/**
 * Helve's tools for Mastra: the tools of an Agent.
 *
 * @module
 */
import type { PublicSchema } from "@mastra/core/schema";
import type { Tool } from "@mastra/core/tools";
import type { Helve } from "./client.js";
import { contentOf, toolset, type ToolsetOptions } from "./toolset.js";
import type { Result } from "./wire.js";

/**
 * Returns the tools of an agent, by name. The output of a tool is its Result; the model is shown
 * what Helve's own messages contain. A failed call is a ToolError, which Mastra passes to the model.
 */
export async function helveTools(helve: Helve, options: ToolsetOptions = {}): Promise<Record<string, Tool>> {
  const { createTool } = await import("@mastra/core/tools");
  const offered = await toolset(helve, options);
  return Object.fromEntries(
    offered.map(({ name, description, parameters, run }) => [
      name,
      createTool({
        id: name, description,
        inputSchema: parameters as PublicSchema,
        execute: (input, context) => run(input, { id: context?.agent?.toolCallId, signal: context?.abortSignal }),
        toModelOutput: (output) => ({ type: "json", value: contentOf(output as Result) }),
      }) as Tool,
    ]),
  );
}
