/**
 * Helve's tools for LangChain.js: structured tools for createAgent, LangGraph and bindTools.
 *
 * @module
 */
import type { DynamicStructuredTool, ToolRunnableConfig } from "@langchain/core/tools";
import type { Helve } from "./client.js";
import { PendingError, ToolError } from "./errors.js";
import { contentOf, contentOfError, toolset, type ToolsetOptions } from "./toolset.js";

/**
 * Returns the tools of an agent. A tool message has what Helve's own messages contain as its
 * content and the Result as its artifact. A failed call of a model is a tool message with the
 * status error, since LangChain ends an agent whose tool throws; a tool that is invoked with
 * plain arguments throws a ToolError.
 */
export async function helveTools(helve: Helve, options: ToolsetOptions = {}): Promise<DynamicStructuredTool[]> {
  const [{ tool }, { ToolMessage }] = await Promise.all([import("@langchain/core/tools"), import("@langchain/core/messages")]);
  const offered = await toolset(helve, options);
  return offered.map(({ name, description, parameters, run }) =>
    tool(
      async (input: unknown, config: ToolRunnableConfig) => {
        const id = config.toolCall?.id;
        try {
          const result = await run(input, { id, signal: config.signal });
          return [JSON.stringify(contentOf(result)), result];
        } catch (err) {
          if (id === undefined || !(err instanceof ToolError || err instanceof PendingError)) throw err;
          const status = err instanceof ToolError ? "error" : "success";
          return [new ToolMessage({ name, tool_call_id: id, status, content: JSON.stringify(contentOfError(err)), artifact: err.result }), err.result];
        }
      },
      { name, description, schema: parameters, responseFormat: "content_and_artifact" },
    ),
  );
}
