// What Helve gives to scripts beside the language, for editors and for tsc, with
// "lib": ["ES2022"] and without "DOM". `helve js types` prints this file.
// docs/javascript.md says more.

// What every tool has.

/** Lines go to the worker's log and to the events of the call: 200 of them, 4 KiB each, 64 KiB in all. */
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
};

/** The current time, as the tool get_current_time answers; UTC and iso8601 unless told otherwise. */
declare function _time(timezone?: string | null, format?: "iso8601" | "human_readable" | null): string;

/** What a shared library of the tools directory, lib/NAME.js, puts on exports or module.exports. */
declare function lib(name: string): any;

/** An Error of what failed outside the script. Left alone, it ends the call with its kind. */
interface HelveError extends Error {
  readonly error_type:
    | "validation_error" | "permission_denied" | "policy_denied" | "confirmation_required" | "not_configured" | "rate_limited"
    | "network_error" | "path_not_allowed" | "file_not_found" | "file_too_large" | "tool_not_found" | "tool_not_available"
    | "timeout" | "execution_error" | (string & {});
}

interface FetchOptions {
  method?: string;
  headers?: Record<string, string> | Iterable<readonly [string, string]> | Headers;
  body?: string | ArrayBuffer | ArrayBufferView | URLSearchParams | null;
  redirect?: "follow" | "error" | "manual";
}

/**
 * At most 100 a call, 10 at a time, 5 MB each way; http and https, to hosts that
 * the tool's scopes and the guard allow. Dynamic tools: with network only.
 */
declare function fetch(url: string | URL, options?: FetchOptions | null): Promise<Response>;

/** What fetch resolves with; scripts make none. */
interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json(): Promise<any>;
  arrayBuffer(): Promise<ArrayBuffer>;
  clone(): Response;
}

declare class Headers implements Iterable<[string, string]> {
  constructor(init?: FetchOptions["headers"] | null);
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: any): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

/**
 * The workspace of the caller, by relative paths; 5 MB at a time. Every function
 * returns at once, and throws a HelveError. Dynamic tools: with filesystem only.
 */
declare const fs: {
  readFile(path: string, encoding?: "utf8" | "utf-8" | "base64"): string;
  /** Makes the directories that are missing. */
  writeFile(path: string, data: string | ArrayBuffer | ArrayBufferView): void;
  appendFile(path: string, data: string | ArrayBuffer | ArrayBufferView): void;
  exists(path: string): boolean;
  /** Names in their order; those of directories end in "/". */
  list(path?: string): string[];
  remove(path: string): void;
};

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | Iterable<readonly [string, string]> | URLSearchParams);
  readonly size: number;
  append(name: string, value: string): void;
  set(name: string, value: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  delete(name: string, value?: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: any): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

declare class TextEncoder {
  constructor();
  readonly encoding: string;
  encode(text?: string): Uint8Array;
}

/** utf-8, utf-16le and latin1; whole texts only. */
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(data?: ArrayBuffer | ArrayBufferView): string;
}

declare function atob(base64: string): string;
declare function btoa(text: string): string;

declare const crypto: {
  randomUUID(): string;
  /** At most 65536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  readonly subtle: {
    digest(algorithm: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512" | { name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer>;
  };
};

// What only operators' tools have: files of a tools directory.

/** The argument of an operator's function. `_env` is not enumerable, so copies and printouts hold no secrets. */
interface HelveParams {
  [name: string]: any;
  readonly _env: Readonly<Record<string, string>>;
}

/** The values that the manifest declares by env and the operator has set. */
declare const _env: Readonly<Record<string, string>>;

/** At most 1000 wait at a time. */
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id?: number): void;

// What only dynamic tools have: the body of async function (args, context, utils).

/** The arguments, as the schema has them. */
declare const args: Record<string, any>;

declare const context: {
  readonly toolName: string;
  readonly callId: string;
  readonly conversationId: string;
  readonly userId: string;
};

/** An account of a service. */
interface ServiceEntry {
  label: string;
  default: boolean;
  active: boolean;
  data: Record<string, string>;
}

interface ToolInfo {
  name: string;
  description: string;
  category: string;
  /** A JSON Schema. */
  parameters: any;
}

type Bytes = string | ArrayBuffer | Uint8Array;
type DateLike = string | number | Date;
type Unit = "milliseconds" | "seconds" | "minutes" | "hours" | "days" | "weeks" | "months" | "quarters" | "years" | (string & {});
/** A function, or the name of a property. */
type By<T> = ((item: T) => any) | string;

declare const utils: {
  // The config center: services that required_api_keys names. Entries that are
  // turned off are not seen; what is not set is undefined.
  getApiKey(service: string): string | undefined;
  getServiceConfig(service: string): Record<string, string> | undefined;
  getConfigEntry(service: string, label?: string): ServiceEntry | undefined;
  getConfigEntries(service: string): ServiceEntry[];
  getFieldValue(service: string, field: string, label?: string): string | undefined;

  // Other tools, as the permissions allow: 50 calls, 3 deep.
  /** Rejects with a HelveError. */
  callTool(name: string, args?: Record<string, any> | null): Promise<any>;
  listTools(): ToolInfo[];

  /** In hex; sha256 unless md5, sha1, sha224, sha384 or sha512 is named. */
  hash(text: Bytes, algorithm?: string): string;
  uuid(): string;

  base64Encode(text: Bytes): string;
  base64Decode(text: string): string;
  urlEncode(text: string): string;
  urlDecode(text: string): string;
  hexEncode(text: Bytes): string;
  hexDecode(text: string): string;

  // Dates are in UTC.
  now(): string;
  timestamp(): number;
  /** Whole units, days unless told otherwise; below zero if `to` is earlier. */
  dateDiff(from: DateLike, to: DateLike, unit?: Unit): number;
  dateAdd(date: DateLike, amount: number, unit?: Unit): string;
  /** YYYY-MM-DD, or as a locale such as "de-DE" writes it. */
  formatDate(date: DateLike, locale?: string): string;

  slugify(text: string): string;
  camelCase(text: string): string;
  snakeCase(text: string): string;
  kebabCase(text: string): string;
  titleCase(text: string): string;
  /** The suffix, "..." unless told otherwise, counts within max. */
  truncate(text: string, max: number, suffix?: string): string;
  countWords(text: string): number;
  removeDiacritics(text: string): string;

  isEmail(text: unknown): boolean;
  isUrl(text: unknown): boolean;
  isJson(text: unknown): boolean;
  isUuid(text: unknown): boolean;

  clamp(value: number, min: number, max: number): number;
  round(value: number, digits?: number): number;
  /** Both ends are possible. */
  randomInt(min: number, max: number): number;
  sum(values: number[]): number;
  /** 0 of an empty list. */
  avg(values: number[]): number;

  parseJson(text: string): any;
  toJson(value: any, pretty?: boolean | number | string): string;
  /** An object a line; the first line has the names. Cells stay strings. */
  parseCsv(text: string, delimiter?: string): Record<string, string>[];
  /** One list of nested ones, or one object whose names are paths. */
  flatten(value: any[] | Record<string, any>, depth?: number): any;
  /** By a path such as "a.b[0]". */
  getPath(value: any, path: string | number | (string | number)[], fallback?: any): any;

  unique<T>(values: T[], by?: By<T>): T[];
  chunk<T>(values: T[], size: number): T[][];
  shuffle<T>(values: T[]): T[];
  /** One of them, or count of them. */
  sample<T>(values: T[]): T | undefined;
  sample<T>(values: T[], count: number): T[];
  groupBy<T>(values: T[], by: By<T>): Record<string, T[]>;

  /** 16 characters, or 4 to 256. */
  generatePassword(length?: number): string;
};
