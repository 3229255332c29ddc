import type { Http } from "./http.js";
import { toolName } from "./names.js";
import type { components } from "./schema.js";
import type { Context, Format, JsonObject, Tool } from "./wire.js";

/** Selects tools; without members, all. */
export interface ToolFilter {
  /** The tools that the agent may use; the client's agent if absent. */
  agent?: string;
  /** The tools of everybody and the custom tools of this person; the client's user if absent. */
  user?: string;
  group?: string;
  category?: string;
  /** Only the tools of this set, such as `code`; the client's tool set if absent. */
  toolset?: string;
  /** Words to find in names, descriptions, categories and tags. */
  q?: string;
  signal?: AbortSignal;
}

/** The catalogue of tools. */
export class Tools {
  readonly #http: Http;
  readonly #who: Context;

  constructor(http: Http, who: Context) {
    this.#http = http;
    this.#who = who;
  }

  /** Returns the definitions, in a fixed order. */
  async list(filter: ToolFilter = {}): Promise<Tool[]> {
    return (await this.#list<components["schemas"]["ToolList"]>(filter)).tools;
  }

  /** Returns the tools exactly as a request of that provider takes them. */
  async listAs<T = JsonObject>(format: Format | "mcp", filter: ToolFilter = {}): Promise<T[]> {
    return (await this.#list<{ tools: T[] }>(filter, format)).tools;
  }

  /** Returns the definition of the tool with that name or alias. */
  async get(name: string, options: { signal?: AbortSignal } = {}): Promise<Tool> {
    return this.#http.ask({ method: "GET", path: `/v1/tools/${toolName(name)}`, query: { user: this.#who.user }, ...options });
  }

  async #list<T>({ signal, ...filter }: ToolFilter, format?: string): Promise<T> {
    const { agent, user, toolset } = this.#who;
    return this.#http.ask({ method: "GET", path: "/v1/tools", query: { agent, user, toolset, ...filter, format }, signal });
  }
}
