// Time limits and abort signals. Timers have a bound in JavaScript, beyond which they fire
// immediately.
const longestTimer = 2 ** 31 - 1;

function alarm(ms: number, ring: () => void): () => void {
  if (ms > longestTimer) return () => {};
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

/**
 * within runs a task with a signal that is aborted with the caller's, or with the error that
 * late returns after ms. It rejects with the caller's reason, that error, or the task's error.
 */
export async function within<T>(ms: number, signal: AbortSignal | undefined, late: () => Error, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  const cancel = alarm(ms, () => controller.abort(late()));
  try {
    return await task(controller.signal);
  } catch (err) {
    throw controller.signal.aborted ? controller.signal.reason : err;
  } finally {
    cancel();
    signal?.removeEventListener("abort", stop);
  }
}

/** pause waits, and rejects with the signal's reason if it is aborted first. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = alarm(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop, { once: true });
  });
}
