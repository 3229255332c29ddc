// The conversation as the page shows it, made of the entries that the server sends.

export type CallState = 'queued' | 'running' | 'waiting' | 'done' | 'failed';

// Entry is what chat.go calls so.
export interface Entry {
  readonly kind: 'you' | 'text' | 'end' | 'tool' | 'result' | 'note';
  readonly text?: string;
  readonly call?: string;
  readonly tool?: string;
  readonly state?: CallState;
  readonly error?: string;
  readonly consent?: string;
}

export interface Call {
  readonly id: string;
  readonly tool: string;
  readonly state: CallState;
  // The last that the tool said while it ran.
  readonly progress?: string | undefined;
  // The result, or the sentence about the failure, whose type is error.
  readonly outcome?: string | undefined;
  readonly error?: string | undefined;
  // The consent that it waits, or has waited, for.
  readonly consent?: string | undefined;
}

export type Item =
  | { readonly kind: 'you' | 'note' | 'model'; readonly text: string }
  | { readonly kind: 'call'; readonly call: Call };

export interface Conversation {
  readonly items: readonly Item[];
  // The model, or a tool that it called, is at work.
  readonly busy: boolean;
  // The place of the answer that still grows, -1 if none does.
  readonly growing: number;
}

export const empty: Conversation = { items: [], busy: false, growing: -1 };

// add returns the conversation with more entries. An entry about a call may come again: it
// changes what is shown of that call, whose outcome is final.
export function add(to: Conversation, entries: readonly Entry[]): Conversation {
  const items = [...to.items];
  let { busy, growing } = to;
  for (const e of entries) {
    const text = e.text ?? '';
    switch (e.kind) {
      case 'text': {
        const said = items[growing];
        if (said?.kind === 'model') items[growing] = { kind: 'model', text: said.text + text };
        else growing = items.push({ kind: 'model', text }) - 1;
        break;
      }
      case 'end':
        busy = false;
        growing = -1;
        break;
      case 'you':
      case 'note':
        busy ||= e.kind === 'you';
        growing = -1;
        items.push({ kind: e.kind, text });
        break;
      default: {
        const at = items.findLastIndex((i) => i.kind === 'call' && i.call.id === e.call);
        const known = items[at];
        const before: Call = known?.kind === 'call' ? known.call : { id: e.call ?? '', tool: e.tool ?? '', state: 'queued' };
        const item: Item = { kind: 'call', call: changed(before, e) };
        if (at >= 0) items[at] = item;
        else items.push(item);
        if (at < 0 || e.kind === 'result') growing = -1;
      }
    }
  }
  return { items, busy, growing };
}

function changed(call: Call, e: Entry): Call {
  if (e.kind === 'result') return { ...call, state: e.state ?? 'done', outcome: e.text ?? '', error: e.error };
  const over = call.state === 'done' || call.state === 'failed';
  return { ...call, state: over ? call.state : (e.state ?? 'running'), progress: e.text || call.progress, consent: e.consent ?? call.consent };
}

// consentsOf returns the consents of the calls that entries are about.
export function consentsOf(of: Conversation, entries: readonly Entry[]): ReadonlySet<string> {
  const about = new Set(entries.flatMap((e) => e.call ?? []));
  return new Set(of.items.flatMap((i) => (i.kind === 'call' && about.has(i.call.id) && i.call.consent) || []));
}
