// Server-sent events over fetch: unlike EventSource it can name a tenant, and tells why a
// stream was refused.

import { identity, noticed } from './client';
import { stays } from './leaving';
import { problemOf, type Problem } from './problem';

export interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

// reader returns a function that takes pieces of a stream and returns the messages that
// they complete.
export function reader(): (piece: string) => Message[] {
  let rest = '';
  let id = '';
  return (piece) => {
    rest += piece;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      let event = 'message';
      const data: string[] = [];
      for (const line of block.split(/\r?\n/)) {
        const at = line.indexOf(':');
        const [field, value] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
        if (field === 'id') id = value;
        else if (field === 'event') event = value;
        else if (field === 'data') data.push(value);
      }
      return data.length ? [{ id, event, data: data.join('\n') }] : [];
    });
  };
}

const longestPause = 10_000;

// follow calls onMessage for each message of the stream at url until signal aborts. It
// reconnects after the last message, waiting longer each time nothing came; a refusal
// (4xx) ends it.
export async function follow(
  url: string,
  signal: AbortSignal,
  on: { message: (m: Message) => void; connected?: (yes: boolean) => void; refused?: (p: Problem) => void },
): Promise<void> {
  let last = '';
  let pause = 250;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream', ...identity() };
      if (last) headers['Last-Event-ID'] = last;
      const res = await fetch(url, { headers, credentials: 'same-origin', cache: 'no-store', signal });
      if (res.status >= 400 && res.status < 500 && res.status !== 429) {
        on.refused?.(noticed(await problemOf(res)));
        return;
      }
      if (res.ok && res.body) {
        on.connected?.(true);
        const read = reader();
        const stream = res.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
          const { value, done } = await stream.read();
          if (done) break;
          for (const m of read(value)) {
            last = m.id || last;
            pause = 250;
            on.message(m);
          }
        }
      }
    } catch {
      // The connection broke, or was aborted.
      if (!signal.aborted) await stays();
    }
    if (signal.aborted) return;
    on.connected?.(false);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      signal.addEventListener('abort', () => { clearTimeout(timer); resolve(undefined); }, { once: true });
    });
    pause = Math.min(pause * 2, longestPause);
  }
}
