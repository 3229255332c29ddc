// What the form of a service sends. A secret is never read, so an empty one stays as it is.

import type { Schemas } from '../../api/client';

export type Service = Schemas['Service'];
export type Stored = Schemas['StoredService'];
export type Field = Schemas['ServiceField'];

// The names of the services that stand for others of any name.
export const generic: readonly string[] = ['http', 'custom', 'oauth2'];

// serviceOf returns the service whose form an entry is changed with: that of its name, or of its
// kind. An account is connected again instead, and an entry of a service that is no longer declared
// can only be deleted.
export function serviceOf(e: Stored, services: readonly Service[]): Service | undefined {
  if (e.type === 'account') return undefined;
  const named = services.find((s) => s.name === e.service && !generic.includes(s.name));
  if (named && (e.type === undefined || e.type === named.type)) return named;
  return services.find((s) => s.name === e.type);
}

// fieldsOf returns the fields of an entry's form. One of the kind custom has those that were set, and
// all of them are secret.
export function fieldsOf(service: Service, stored: Stored | undefined): readonly Field[] {
  if (service.name !== 'custom' || !stored) return service.fields;
  return Object.keys(stored.fields).sort().map((name) => ({ name, secret: true, type: 'text' }));
}

// isSet reports whether an entry has a secret, of which no more is known.
export function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { set?: unknown }).set === true;
}

// shown returns the value of a field that may be seen, as text.
export function shown(value: unknown): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

// missing returns the names of required fields that have neither a value nor a stored one.
export function missing(fields: readonly Field[], given: ReadonlyMap<string, string>, stored: Stored | undefined): string[] {
  return fields.filter((f) => f.required && !given.get(f.name) && !(f.secret && isSet(stored?.fields[f.name]))).map((f) => f.name);
}

// bodyOf returns the change of an entry: what was filled in or emptied, and nothing of what
// was left as it was.
export function bodyOf(fields: readonly Field[], given: ReadonlyMap<string, string>, stored: Stored | undefined, active: boolean): Schemas['ServiceSet'] {
  const changed: Record<string, unknown> = {};
  for (const f of fields) {
    const [text, before] = [given.get(f.name) ?? '', stored?.fields[f.name]];
    if (f.secret ? text === '' : text === shown(before)) continue;
    changed[f.name] = text === '' ? null : text;
  }
  return { fields: changed, active, ...(stored ? { merge: true } : {}) };
}

// isAccount reports whether a person connects an account of the service.
export function isAccount(s: Service): boolean {
  return s.type === 'oauth2' && !generic.includes(s.name);
}
