// Requests to any operation of the API, typed by the generated paths.
import { misused } from "./errors.js";
import type { Http, Operation } from "./http.js";
import type { paths } from "./schema.js";

export type Route = keyof paths & string;
/** The methods of a path, in lower case. */
export type Method<P extends Route> = { [M in keyof paths[P]]: paths[P][M] extends { responses: unknown } ? M : never }[keyof paths[P]] & string;

type Described<P extends Route, M extends Method<P>> = paths[P][M];
type Parameters<O, In extends string> = O extends { parameters: infer P } ? (In extends keyof P ? P[In] : never) : never;
type Member<Name extends string, T> = [T] extends [never] ? { [N in Name]?: never } : undefined extends T ? { [N in Name]?: T } : { [N in Name]: T };
type Json<T> = T extends { content: { "application/json": infer B } } ? B : never;
type BodyOf<O> = O extends { requestBody: infer B } ? Json<B> : O extends { requestBody?: infer B } ? Json<NonNullable<B>> | undefined : never;

/** The JSON of a successful answer. */
export type Outcome<P extends Route, M extends Method<P>> =
  Described<P, M> extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202)]> : never;

/** Values of the path and the query, and the body. */
export type RequestOptions<P extends Route, M extends Method<P>> = Member<"path", Parameters<Described<P, M>, "path">> &
  Member<"query", Parameters<Described<P, M>, "query">> &
  Member<"body", BodyOf<Described<P, M>>> & { signal?: AbortSignal };

/** RequestOptions as an argument, which may be absent if the operation needs no values. */
export type Given<P extends Route, M extends Method<P>> = object extends RequestOptions<P, M> ? [options?: RequestOptions<P, M>] : [options: RequestOptions<P, M>];

/** RequestOptions without the types of an operation. */
export interface Body {
  path?: { [name: string]: string | number };
  query?: Operation["query"];
  body?: unknown;
  signal?: AbortSignal;
}

/** request sends an operation with the values of its path filled in. */
export async function request<P extends Route, M extends Method<P>>(http: Http, method: M, path: P, options: Body): Promise<Outcome<P, M>> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(options.path?.[name] ?? "");
    if (value === "" || value === "." || value === "..") throw misused(`the value of ${name} in the path is missing or not a name`);
    return encodeURIComponent(value);
  });
  return http.ask({ method: method.toUpperCase(), path: filled, query: { ...options.query }, json: options.body, signal: options.signal });
}
