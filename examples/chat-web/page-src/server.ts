// The page's side of its server, web.go: requests, and the stream of what happens.

import { signal } from '@preact/signals';
import type { components } from '@helve/client';
import { Problem } from '../../../console/src/api/problem';
import type { Consent } from '../../../console/src/consent/host';
import { add, empty, withCall, type Conversation, type Entry } from './conversation';
import { text } from './text';

export type Grant = components['schemas']['Grant'];

// person is who is signed in; '' is nobody, undefined is not known yet.
export const person = signal<string | undefined>(undefined);
export const conversation = signal<Conversation>(empty);
// consents are what waited for this person since the page was opened, by their id.
export const consents = signal<ReadonlyMap<string, Consent>>(new Map());
// lost is set while the stream is interrupted.
export const lost = signal(false);

// get and post throw a Problem with the server's sentence.
export async function get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  return (await request(`${path}?${new URLSearchParams(query)}`)).json() as Promise<T>;
}

export async function post(path: string, body: object = {}): Promise<void> {
  await request(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

async function request(url: string, init: RequestInit = {}): Promise<Response> {
  const res = await fetch(url, init).catch(() => { throw new Problem('internal', text().unreachable); });
  if (res.ok) return res;
  if (res.status === 401) signedOut();
  throw new Problem('internal', (await res.text()).trim(), res.status);
}

// settle puts the newest state of a consent in its place. An answer to somebody who has
// signed out since comes too late.
export function settle(c: Consent): void {
  if (c.user !== person.value) return;
  consents.value = new Map(consents.value).set(c.consent_id, c);
}

let events: EventSource | undefined;
let heard: Entry[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function signedOut(): void {
  events?.close();
  clearTimeout(timer);
  timer = undefined;
  heard = [];
  person.value = '';
  conversation.value = empty;
  consents.value = new Map();
  lost.value = false;
}

export async function signIn(name: string): Promise<void> {
  await post('login', { name });
  follow();
}

export async function signOut(): Promise<void> {
  await post('logout');
  signedOut();
}

// follow shows the conversation from its beginning, again whenever the stream was lost.
export function follow(): void {
  const source = new EventSource('events');
  let fresh = false;
  events = source;
  source.onopen = () => { fresh = true; heard = []; lost.value = false; };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) signedOut();
    else lost.value = true;
  };
  const on = <T>(name: string, then: (value: T) => void) => source.addEventListener(name, (m) => then(JSON.parse((m as MessageEvent<string>).data) as T));
  // A model's answer comes in hundreds of pieces: those of a moment are shown together.
  const flush = () => {
    timer = undefined;
    const entries = heard;
    heard = [];
    conversation.value = add(fresh ? empty : conversation.value, entries);
    fresh = false;
    for (const c of consents.value.values()) {
      if (c.status !== 'pending') continue;
      conversation.value = withCall(conversation.value, c.call.call_id, c.tool);
      // Decided elsewhere, or expired: the person who looks at it sees by whom.
      if (entries.some((e) => e.call === c.call.call_id && e.state !== undefined && e.state !== 'waiting')) void read(c).then(settle, () => undefined);
    }
  };
  const soon = () => { timer ??= setTimeout(flush, 16); };
  on<{ name: string }>('person', (p) => { person.value = p.name; soon(); });
  on<Entry>('entry', (e) => { heard.push(e); soon(); });
  on<Consent>('consent', (c) => { settle(c); soon(); });
}

// read reads a consent again.
export function read(c: Consent): Promise<Consent> {
  return get<Consent>('consent', { id: c.consent_id });
}
