// When a request is sent again, and how long each attempt waits. The numbers are those of the
// Go client.
import { pause } from "./deadline.js";
import { RequestError } from "./errors.js";

const firstPause = 100;
const longestPause = 5_000;
const longestHint = 30_000; // bounds the delay that a server can request

/** The time for an answer that does not wait for a call. */
export const answerTimeout = 30_000;

// The first request of a call waits for firstSlice, and each further request twice as long, up
// to longestSlice. A server that does not answer within a margin after that has lost the
// request, or is slow: the margin doubles with each request in vain.
const firstSlice = 1_000;
const longestSlice = 5_000;
const firstMargin = 2_000;
const longestMargin = 10_000;

/** waitSlice returns the wait of a request, after a number of others that were answered. */
export function waitSlice(answered: number, left: number): number {
  return Math.ceil(Math.min(left, longestSlice, firstSlice * 2 ** Math.min(answered, 3)));
}

/** marginAfter returns the time that a server may take beyond the wait, after a number of requests in vain. */
export function marginAfter(attempt: number): number {
  return Math.min(longestMargin, firstMargin * 2 ** Math.min(attempt, 3));
}

/** backoff returns the pause after an attempt, counted from 0: half fixed and half random, so that many clients do not return at the same time. */
export function backoff(attempt: number, hint = 0): number {
  const most = Math.min(firstPause * 2 ** Math.min(attempt, 6), longestPause);
  return Math.max(most / 2 + (Math.random() * most) / 2, Math.min(hint, longestHint));
}

/** Outage bounds how long a server may fail before its client gives up. */
export class Outage {
  #since: number | undefined;
  #attempt = 0;

  constructor(
    readonly longest: number,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** attempt counts the failures since the server last worked. */
  get attempt(): number {
    return this.#attempt;
  }

  /** exceeded reports whether the server has failed for longer than allowed; the first failure begins it. */
  exceeded(): boolean {
    this.#since ??= Date.now();
    return Date.now() - this.#since >= this.longest;
  }

  /** end records that the server works. */
  end(): void {
    this.#since = undefined;
    this.#attempt = 0;
  }

  /** pause waits before the next attempt. */
  async pause(hint?: number): Promise<void> {
    await pause(backoff(this.#attempt++, hint), this.signal);
  }

  /** survive waits after an error that a retry may help with, and throws any other. */
  async survive(err: unknown): Promise<void> {
    if (!(err instanceof RequestError) || !err.temporary || this.exceeded()) throw err;
    await this.pause(err.retryAfter);
  }
}

/** retrying repeats a request until it succeeds, fails for a reason that remains, or the outage is over. */
export async function retrying<T>(outage: Outage, request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (err) {
      await outage.survive(err);
    }
  }
}
