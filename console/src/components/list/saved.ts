// Filters that a person has saved under a name, in this browser.

import { signal } from '@preact/signals';
import { tenant } from '../../api/client';
import { me } from '../../app/session';
import { read, write } from '../../lib/stored';
import type { Filters } from './definition';

export interface Saved {
  // The list, and the name that the person gave.
  readonly list: string;
  readonly name: string;
  readonly filters: Filters;
}

// So many are kept, with names of so many characters.
export const [most, longest] = [50, 60];

// The lists with their addresses. What is stored names a list, so it can lead nowhere else.
const paths: Readonly<Record<string, string>> = { inbox: '/', calls: '/calls', audit: '/audit', dead: '/dead' };

const changed = signal(0);
// What the browser did not store is kept as long as the page.
const unstored = new Map<string, string>();

// keyOf returns under which name those of the person are stored, who has others in another tenant.
function keyOf(): string {
  const { authenticated, tenant: own, user, name } = me.value;
  return ['filters', authenticated ? own : tenant.value || 'default', user || name || ''].map(encodeURIComponent).join('.');
}

// savedIn returns what a stored text holds; what is not a saved filter is left out, whoever wrote it.
export function savedIn(text: string): readonly Saved[] {
  let all: unknown;
  try {
    all = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(all) ? all.filter(isSaved).slice(0, most) : [];
}

function isSaved(of: unknown): of is Saved {
  if (typeof of !== 'object' || of === null) return false;
  const { list, name, filters } = of as Record<string, unknown>;
  if (typeof list !== 'string' || !Object.hasOwn(paths, list) || typeof name !== 'string' || name === '' || name.length > longest) return false;
  if (typeof filters !== 'object' || filters === null) return false;
  const values = Object.entries(filters);
  return values.length > 0 && values.length <= 20 && values.every(([n, v]) => /^[a-z_]{1,20}$/.test(n) && typeof v === 'string' && v !== '' && v.length <= 1000);
}

// saved returns the filters of the person, those of one list or of all.
export function saved(list?: string): readonly Saved[] {
  void changed.value;
  const all = savedIn(unstored.get(keyOf()) ?? read(keyOf()));
  return list === undefined ? all : all.filter((s) => s.list === list);
}

// save keeps filters, in place of those of the same list and name. It reports whether there was room.
export function save(of: Saved): boolean {
  const others = saved().filter((s) => s.list !== of.list || s.name !== of.name);
  if (others.length >= most) return false;
  store([...others, of]);
  return true;
}

export function forget(of: Saved): void {
  store(saved().filter((s) => s.list !== of.list || s.name !== of.name));
}

function store(all: readonly Saved[]): void {
  const [key, text] = [keyOf(), all.length > 0 ? JSON.stringify(all) : ''];
  write(key, text);
  if (read(key) === text) unstored.delete(key);
  else unstored.set(key, text);
  changed.value++;
}

// hrefOf returns the address of a list with the filters, and the path of the list.
export function hrefOf({ list, filters }: Saved): readonly [href: string, path: string] {
  const path = paths[list] ?? '/';
  return [`${path}?${new URLSearchParams(filters)}`, path];
}
