/**
 * Helve's tools for the AI SDK: a ToolSet for generateText, streamText and agents.
 *
 * @module
 */
import type { JSONValue, Tool } from "ai";
import type { Helve } from "./client.js";
import { contentOf, toolset, type ToolsetOptions } from "./toolset.js";
import type { JsonObject, Result } from "./wire.js";

/**
 * Returns the tools of an agent. The output of a tool is its Result; the model is shown what
 * Helve's own messages contain. A failed call is a ToolError, which the SDK passes to the model.
 */
export async function helveTools(helve: Helve, options: ToolsetOptions = {}): Promise<Record<string, Tool<JsonObject, Result>>> {
  const { jsonSchema, tool } = await import("ai");
  const offered = await toolset(helve, options);
  return Object.fromEntries(
    offered.map(({ name, description, parameters, run }) => [
      name,
      tool<JsonObject, Result, JsonObject>({
        description,
        inputSchema: jsonSchema<JsonObject>(parameters as Parameters<typeof jsonSchema>[0]),
        execute: (input, { toolCallId, abortSignal }) => run(input, { id: toolCallId, signal: abortSignal }),
        toModelOutput: ({ output }) => ({ type: "json", value: contentOf(output) as JSONValue }),
      }),
    ]),
  );
}
