// Uses the types that openapi-typescript writes by default. It is compiled and not run:
// a request needs no more than what the API requires.
import type { components } from "./generated/schema";

type Schemas = components["schemas"];

export const request: Schemas["ExecuteCalls"] = {
  calls: [{ tool: "calculate", arguments: { expression: "6*7" } }],
};

export const message: Schemas["ExecuteMessage"] = { format: "openai", message: {} };
