// The page's side of its server, web.go: the session, the stream of the conversation, and
// Helve, to which the server passes operations on for this person.

import { signal } from '@preact/signals';
import { Helve, RequestError } from '@helve/client';
import { asProblem, Problem } from '../../../console/src/api/problem';
import { toast } from '../../../console/src/components/toast';
import type { Consent } from '../../../console/src/consent/host';
import { add, consentsOf, empty, type Conversation, type Entry } from './conversation';
import { text } from './text';

// person is who is signed in; '' is nobody, undefined is not known yet.
export const person = signal<string | undefined>(undefined);
export const conversation = signal<Conversation>(empty);
// consents are what calls of the conversation waited for, by their id.
export const consents = signal<ReadonlyMap<string, Consent>>(new Map());
// lost is set while the stream is interrupted.
export const lost = signal(false);

// post throws a Problem with the server's sentence.
export async function post(path: string, body: object = {}): Promise<void> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const res = await request(path, init).catch(() => { throw new Problem('internal', text().unreachable); });
  if (!res.ok) throw new Problem('internal', (await res.text()).trim(), res.status);
}

// request is fetch, and shows the sign-in if the session has ended.
async function request(...given: Parameters<typeof fetch>): Promise<Response> {
  const res = await fetch(...given);
  if (res.status === 401) signedOut();
  return res;
}

// The page has no key. Its server adds one, and checks that each request is about data of
// this person (gateway.go).
// A failed request is sent again for a short time only, since the person waits for it.
export const helve = new Helve({ url: 'helve', fetch: request, retryFor: 5_000 });

// asked returns the answer of Helve, or throws its error as the Problem that the shared
// components show.
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (err) {
    if (!(err instanceof RequestError)) throw err;
    throw new Problem(err.type, err.unreachable ? text().unreachable : err.detail, err.status);
  }
}

// settle puts the newest state of a consent in its place. An answer to somebody who has
// signed out since comes too late, and so does what was read before a decision.
export function settle(c: Consent): void {
  if (c.user !== person.value || (c.status === 'pending' && over(c.consent_id))) return;
  consents.value = new Map(consents.value).set(c.consent_id, c);
}

const over = (id: string) => (consents.value.get(id)?.status ?? 'pending') !== 'pending';

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
    // Read when a call waits for it, and again as the call goes on: decided elsewhere, or expired, the
    // person who looks at it sees by whom.
    for (const id of consentsOf(conversation.value, entries)) if (!over(id)) void read(id).then(settle, failed);
  };
  const soon = () => { timer ??= setTimeout(flush, 16); };
  on<{ name: string }>('person', (p) => { person.value = p.name; soon(); });
  on<Entry>('entry', (e) => { heard.push(e); soon(); });
}

const failed = (err: unknown) => { if (person.value) toast(asProblem(err).message, 'bad'); };

// read reads a consent, again if it is known.
export function read(id: string): Promise<Consent> {
  return asked(helve.consents.get(id));
}
