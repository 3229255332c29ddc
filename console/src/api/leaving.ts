// Firefox ends the requests of a page as soon as a person leaves it or loads it again, while
// the page is still shown. Their failures are no news: nothing of Helve failed.

// As long as the next page may take before a failure is reported after all: the person may
// have stayed.
const patience = 3000;

let left = -Infinity;

if (typeof addEventListener === 'function') addEventListener('beforeunload', () => { left = performance.now(); });

// stays resolves immediately, or where the person is leaving the page, only if it is still
// there after a while.
export async function stays(): Promise<void> {
  const rest = left + patience - performance.now();
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
}
