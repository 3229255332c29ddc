// What a request can fail with.

export interface SignIn {
  readonly oidc: boolean;
  readonly key: boolean;
}

// A Problem is an answer of the server, or unreachable if there was none.
export class Problem extends Error {
  constructor(
    readonly type: string,
    detail: string,
    readonly status = 0,
    readonly signIn?: SignIn,
    // Seconds after which another try may succeed.
    readonly retryAfter?: number,
    // Who is signed in, if the page shows somebody else.
    readonly signedInAs?: string,
  ) {
    super(detail);
    this.name = 'Problem';
  }
}

// problemOf reads an answer that is not a success.
export async function problemOf(res: Response): Promise<Problem> {
  const retry = Number(res.headers.get('Retry-After')) || undefined;
  const body: unknown = await res.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null) return new Problem('internal', res.statusText || String(res.status), res.status);
  const { error_type, detail, message, sign_in, signed_in_as } = body as Record<string, unknown>;
  return new Problem(
    typeof error_type === 'string' ? error_type : 'internal',
    typeof detail === 'string' ? detail : typeof message === 'string' ? message : res.statusText,
    res.status,
    sign_in as SignIn | undefined,
    retry,
    typeof signed_in_as === 'string' ? signed_in_as : undefined,
  );
}

// asProblem returns whatever was thrown as a Problem. A fetch without an answer throws a
// TypeError, and an AbortError if the browser gave it up.
export function asProblem(err: unknown): Problem {
  if (err instanceof Problem) return err;
  if (err instanceof TypeError || (err instanceof DOMException && err.name === 'AbortError')) return new Problem('unreachable', '');
  return new Problem('internal', err instanceof Error ? err.message : String(err));
}
