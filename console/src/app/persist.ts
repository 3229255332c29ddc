// Loading the code of a page until it is there: a dispatcher may be starting, or the network be
// away for a moment.

import { stays } from '../api/leaving';
import { asProblem, type Problem } from '../api/problem';

// The pauses between tries, in milliseconds; the last one is repeated.
const pauses = [1000, 2000, 5000, 10_000] as const;

// persist calls load until it succeeds, and failed with each failure. The returned function ends that.
export function persist(load: () => Promise<void>, failed: (problem: Problem) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const attempt = async (tries: number): Promise<void> => {
    try {
      await load();
    } catch (err) {
      await stays();
      if (over) return;
      failed(asProblem(err));
      if (tries > 0 && (await answers()) && mayReload()) {
        location.reload();
        return;
      }
      if (!over) timer = setTimeout(() => void attempt(tries + 1), pauses[Math.min(tries, pauses.length - 1)]);
    }
  };
  void attempt(0);
  return () => { over = true; clearTimeout(timer); };
}

// answers reports whether the server serves documents. Then the code is of a release that is gone, or
// the browser keeps its first failure: loading the document again helps with both.
async function answers(): Promise<boolean> {
  try {
    return (await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store', credentials: 'same-origin' })).ok;
  } catch {
    return false;
  }
}

// apart is the least time between two reloads, in milliseconds: code that can never be loaded must
// not have the page loaded again and again.
const apart = 60_000;

function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem('helve.reloaded'));
    if (Date.now() - last < apart) return false;
    sessionStorage.setItem('helve.reloaded', String(Date.now()));
    return true;
  } catch {
    return false;
  }
}
