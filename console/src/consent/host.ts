// What a page gives the component that shows a consent and takes its answer: the component
// itself sends no request and knows no path. The console's inbox and the chat page of
// examples/chat-web have one each.

import type { Schemas } from '../api/client';

export type Consent = Schemas['Consent'];

// How long a yes may hold.
export type Term = 'once' | 'program' | 'session' | 'always';

export interface Choice {
  readonly decision: 'grant' | 'deny';
  readonly remember?: Term;
  readonly neverAsk?: boolean;
  readonly comment?: string;
  readonly answer?: Record<string, unknown>;
}

export type May = 'grant' | 'deny' | 'nothing';

export interface Host {
  // Returns what this person may decide: to grant, only to deny, or nothing. The server
  // decides; this spares people buttons that fail.
  may(c: Consent): May;
  // Reports whether an account that is connected for this request will be this person's; without
  // it, it is.
  connects?(c: Consent): boolean;
  // Reports whether a decision by this name is the person's own.
  own(by: string, c: Consent): boolean;
  decide(c: Consent, choice: Choice): Promise<Consent>;
  // Reads a consent again.
  read(c: Consent): Promise<Consent>;
  // Revokes what a decision made remembered, and reports whether there was any.
  takeBack(c: Consent): Promise<boolean>;
  // Reports whether this person may do that; without it every person may.
  mayTakeBack?(c: Consent): boolean;
  // The contents of a file of the workspace, if the page can read it.
  file?(path: string, user: string, signal: AbortSignal): Promise<Blob | undefined>;
  // The addresses of the pages of the call of a consent and of a trace, if there are any for this person.
  callPage?(c: Consent): string | undefined;
  tracePage?(id: string): string | undefined;
  // The address of the page of a program, likewise.
  programPage?(c: Consent): string | undefined;
  // The address of the list that a name filters, if there is one for this person.
  namePage?(name: 'tool' | 'user' | 'agent' | 'conversation', value: string): string | undefined;
}

// remembers reports whether a decision outlives its call.
export function remembers(c: Consent): boolean {
  const d = c.decision;
  return !!d && (!!d.never_ask || (d.status === 'granted' && !!d.remember && d.remember !== 'once'));
}

// terms returns how long a grant may be remembered.
export function terms(c: Consent): readonly Term[] {
  if (c.risk === 'high' || c.approver_only || c.kind === 'question') return ['once'];
  return ['once', ...(c.program?.covers ? ['program' as const] : []), ...(c.conversation ? ['session' as const] : []), 'always'];
}
