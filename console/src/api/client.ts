// The HTTP client: paths, parameters and answers typed from /openapi.json.

import { signal } from '@preact/signals';
import { heard } from '../lib/clock';
import { parse } from '../lib/exact';
import { language } from '../text';
import { stays } from './leaving';
import { page } from './page';
import { Problem, asProblem, problemOf } from './problem';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'put' | 'delete';
type PathOf<M extends Method> = { [P in keyof paths]: NonNullable<paths[P][M]> extends never ? never : P }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;
type Of<O, K extends string> = O extends { readonly parameters: { readonly [X in K]?: infer Q } } ? Q : undefined;
type Body<O> = O extends { readonly requestBody: { readonly content: { readonly 'application/json': infer B } } } ? B : undefined;
export type Answer<P extends keyof paths, M extends Method = 'get'> =
  Operation<P, M> extends { readonly responses: { readonly 200: { readonly content: { readonly 'application/json': infer B } } } } ? B : unknown;

// Query is the query parameters of a GET.
export type Query<P extends PathOf<'get'>> = Exclude<Of<Operation<P, 'get'>, 'query'>, undefined>;

type Given<K extends string, V> = [V] extends [undefined] | [never] ? { readonly [X in K]?: undefined } : { readonly [X in K]: V };
type Ask<O> = { readonly query?: Exclude<Of<O, 'query'>, undefined> } & Given<'path', Of<O, 'path'>> & Given<'body', Body<O>> & {
  readonly signal?: AbortSignal;
  // Keep every digit of the numbers in the answer.
  readonly exact?: boolean;
};

// tenant is sent where a loopback system without authentication has more than one.
export const tenant = signal('');

// acting is whom the page shows as signed in, with the tenant. All tabs share the cookie: the server refuses
// what this tab asks for once somebody else has signed in in another one.
export const acting = signal<{ readonly user: string; readonly tenant: string } | undefined>(undefined);

// onUnauthenticated is called when a session has ended, onOther when it is somebody else's than the page shows.
export const session = {
  onUnauthenticated: (_problem: Problem): void => undefined,
  onOther: (_name: string): void => undefined,
};

// identity returns the headers of every request that say whose it is. Without them a session
// does not count: no form, link or program that only has the cookie can add them. With whoever they
// do not say whom the page shows.
export function identity(whoever = false): Record<string, string> {
  const shown = whoever ? undefined : acting.value;
  if (shown) return { 'Helve-Console': page(), 'Helve-Acting-As': shown.user, 'Helve-Tenant': shown.tenant };
  return { 'Helve-Console': page(), ...(tenant.value ? { 'Helve-Tenant': tenant.value } : {}) };
}

// noticed passes on what a refusal tells about who is signed in.
export function noticed(problem: Problem): Problem {
  if (problem.status === 401) session.onUnauthenticated(problem);
  if (problem.signedInAs !== undefined) session.onOther(problem.signedInAs);
  return problem;
}

// send makes a request and returns its parsed answer, or with `as` the answer as it is. It throws a Problem, or once
// the signal is aborted, an AbortError.
export async function send(method: string, url: string, body?: unknown, options: { signal?: AbortSignal; exact?: boolean; as?: 'text' | 'blob'; whoever?: boolean } = {}): Promise<unknown> {
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': language.value, ...identity(options.whoever) };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let res: Response;
  let text: string | Blob;
  const sent = Date.now();
  try {
    res = await fetch(url, {
      method, headers, credentials: 'same-origin', cache: 'no-store', redirect: 'error',
      body: body === undefined ? null : JSON.stringify(body), signal: options.signal ?? null,
    });
    heard(res.headers.get('Date'), sent, Date.now());
    text = !res.ok ? '' : options.as === 'blob' ? await res.blob() : await res.text();
  } catch (err) {
    if (options.signal?.aborted) throw err;
    await stays();
    throw asProblem(err);
  }
  if (!res.ok) throw noticed(await problemOf(res));
  if (options.as || typeof text !== 'string') return text;
  return text === '' ? undefined : options.exact ? parse(text) : JSON.parse(text);
}

// urlOf fills the path's parameters in, and appends the query's; undefined and '' are
// left out.
export function urlOf(path: string, params: object = {}, query: object = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((params as Record<string, unknown>)[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  return search.size ? `${filled}?${search}` : filled;
}

function ask<M extends Method>(method: M) {
  return <P extends PathOf<M>>(path: P, ...[o]: Parameters<(o: Ask<Operation<P, M>>) => void>): Promise<Answer<P, M>> => {
    const { path: params, query, body, ...options } = o as { path?: object; query?: object; body?: unknown; signal?: AbortSignal; exact?: boolean };
    return send(method.toUpperCase(), urlOf(path, params, query), body, options) as Promise<Answer<P, M>>;
  };
}

// api has a function for each method: api.get('/v1/consents', { query: { status: 'pending' } }).
export const api = { get: ask('get'), post: ask('post'), put: ask('put'), delete: ask('delete') };
