// How a text of a call differs from what it replaces.

import { useEffect, useState } from 'preact/hooks';
import { Diff } from '../components/diff';
import { t } from '../text';
import type { Consent, Host } from './host';

// Larger files are not compared.
const maxFile = 1 << 20;

const writers = ['write_file', 'files.write_text'];

interface Props {
  readonly of: Pick<Consent, 'tool' | 'arguments' | 'user'>;
  readonly host: Pick<Host, 'code' | 'file'>;
  readonly name: string;
  readonly value: string;
}

// Changed shows how code differs from the code of the tool that it replaces, and the contents
// of a file from those it has. It shows nothing where what was there cannot be read, or where
// the new text is not shown whole.
export function Changed({ of: c, host, name, value }: Props) {
  const [before, setBefore] = useState<string>();
  const { code, path } = replaced(c, name);
  useEffect(() => {
    const over = new AbortController();
    setBefore(undefined);
    const load = async () => {
      const text = code ? await host.code?.(code, c.user, over.signal) : path ? await textOf(await host.file?.(path, c.user, over.signal)) : undefined;
      if (text && !over.signal.aborted) setBefore(text);
    };
    load().catch(() => undefined); // without the right to see it, the new text is shown alone
    return () => over.abort();
  }, [host, c.user, code, path]);
  return before === undefined ? null : <Diff before={before} after={value} label={t().inbox.change} />;
}

// replaced returns what an argument replaces: the code of a tool, or the contents of a file.
function replaced(c: Props['of'], name: string): { readonly code?: string; readonly path?: string } {
  const args = c.arguments as Record<string, unknown>;
  const [tool, path, text] = [args['name'], args['path'], args[name]];
  if (c.tool === 'update_custom_tool' && name === 'code' && typeof tool === 'string') return { code: tool };
  const adds = args['append'] === true || args['mode'] === 'append';
  const written = /^(base64|binary)$/i.test(String(args['encoding']));
  // The server marks what it has left out or hidden, and these signs in a text as codes.
  if (!writers.includes(c.tool) || name !== 'content' || typeof path !== 'string' || adds || written || /…|•••/.test(String(text)) || path.includes('\\')) return {};
  return { path };
}

// textOf returns the text of a file, undefined if it is none.
async function textOf(file: Blob | undefined): Promise<string | undefined> {
  if (!file || file.size > maxFile) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
