import { foreign, misused } from "./errors.js";
import type { Http } from "./http.js";
import { filePath } from "./names.js";
import type { Context, File } from "./wire.js";
import type { components } from "./schema.js";

export interface FileOptions {
  /** The person whose workspace it is: the client's user if absent. Only an admin may name another than the caller. */
  user?: string;
  signal?: AbortSignal;
}

export interface PutOptions extends FileOptions {
  /** Writes only over a file with this ETag. */
  ifMatch?: string;
  /** Writes only a new file. */
  ifAbsent?: boolean;
}

/** Bounds the transfer of one file, in milliseconds. */
const filePatience = 30 * 60_000;

/** The files of a person's workspace. */
export class Files {
  readonly #http: Http;

  readonly #who: Context;

  constructor(http: Http, who: Context) {
    this.#http = http;
    this.#who = who;
  }

  /** Returns the files below a directory, by path; without one, all of the workspace. */
  async list(directory = "", options: FileOptions = {}): Promise<File[]> {
    const dir = directory.replace(/^\/+|\/+$/g, "");
    const path = dir === "" ? "/v1/files/" : `/v1/files/${filePath(dir)}/`;
    const all: File[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { ...this.#query(options), limit: 1000, cursor };
      const page = await this.#http.ask<components["schemas"]["FileList"]>({ method: "GET", path, query, signal: options.signal });
      all.push(...page.files);
      if (!page.next) return all;
      if (page.next === cursor) throw foreign("the list has no end: its next page is the same again");
      cursor = page.next;
    }
  }

  /** Returns the answer with a file: its `body` is a stream, its headers have the ETag. The signal also ends the body. */
  async get(path: string, options: FileOptions = {}): Promise<Response> {
    return this.#http.open({ method: "GET", path: fileOf(path), query: this.#query(options), signal: options.signal });
  }

  /**
   * Stores a file in one step and returns its ETag and whether it is new. A stream is read once,
   * so it is not sent again after a failure; browsers send streams over HTTP/2 only.
   */
  async put(path: string, content: string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>, options: PutOptions = {}): Promise<{ created: boolean; etag: string | null }> {
    const headers: { [name: string]: string } = {};
    if (options.ifMatch !== undefined) headers["If-Match"] = options.ifMatch;
    if (options.ifAbsent) headers["If-None-Match"] = "*";
    const op = { method: "PUT", path: fileOf(path), query: this.#query(options), headers, content, signal: options.signal, patience: filePatience };
    const again = !(content instanceof ReadableStream);
    return this.#http.read(op, async (response) => ({ created: response.status === 201, etag: response.headers.get("ETag") }), again);
  }

  /** Removes a file or an empty directory. */
  async delete(path: string, options: FileOptions = {}): Promise<void> {
    await this.#http.ask({ method: "DELETE", path: fileOf(path.replace(/\/+$/, "")), query: this.#query(options), signal: options.signal });
  }

  #query({ user = this.#who.user }: FileOptions): { user: string | undefined } {
    return { user };
  }
}

function fileOf(path: string): string {
  if (path === "" || path.endsWith("/")) throw misused("the path must name a file, and not a directory");
  return `/v1/files/${filePath(path)}`;
}
