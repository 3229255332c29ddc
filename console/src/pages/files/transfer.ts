// Requests about the contents of files, which are no JSON.

import { identity, noticed, urlOf } from '../../api/client';
import { asProblem, problemOf } from '../../api/problem';

interface Options {
  readonly user: string;
  readonly headers?: Record<string, string>;
  readonly body?: Blob;
  readonly signal?: AbortSignal;
}

// transfer sends a request about a file and returns its answer, or throws a Problem.
export async function transfer(method: 'GET' | 'PUT' | 'DELETE', path: string, { user, headers, body, signal }: Options): Promise<Response> {
  const url = urlOf(`/v1/files/${path.split('/').map(encodeURIComponent).join('/')}`, {}, { user });
  let res: Response;
  try {
    res = await fetch(url, {
      method, headers: { ...headers, ...identity() }, body: body ?? null, signal: signal ?? null,
      credentials: 'same-origin', cache: 'no-store', redirect: 'error',
    });
  } catch (err) {
    if (signal?.aborted) throw err;
    throw asProblem(err);
  }
  if (!res.ok) throw noticed(await problemOf(res));
  return res;
}

// shown is the size of the beginning of a file that is shown.
export const shown = 64 << 10;

export interface Beginning {
  // undefined if the file is not text.
  readonly text: string | undefined;
  readonly size: number;
}

// beginningOf reads the beginning of a file.
export async function beginningOf(path: string, user: string, signal: AbortSignal): Promise<Beginning> {
  const headers = { Range: `bytes=0-${shown - 1}` };
  let res: Response;
  try {
    res = await transfer('GET', path, { user, headers, signal });
  } catch (err) {
    if (asProblem(err).status === 416) return { text: '', size: 0 };
    throw err;
  }
  const bytes = await res.arrayBuffer();
  const size = Number(/\/(\d+)$/.exec(res.headers.get('Content-Range') ?? '')?.[1] ?? bytes.byteLength);
  return { text: textOf(bytes), size };
}

// textOf returns bytes as text, undefined if they are none. They may end within a character.
export function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
