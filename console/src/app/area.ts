// What an area of the console is made of.

import type { ComponentType } from 'preact';
import type { Text } from '../text';
import type { Role } from './session';

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

// An Area is a page, or several of the same code. Each has a file of its own, which is
// loaded when the page is first opened.
export interface Area {
  // The path, with parameters as /calls/:id.
  readonly path: string;
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
  // Areas with the same name, and the same load, are one page, which stays while a person goes
  // from one to the other: a list and its detail.
  readonly page?: string;
  // Who may see it: one of these roles. Absent: everybody who is signed in.
  readonly roles?: readonly Role[];
  // It is about the whole system, which only persons of the tenant default may look at.
  readonly system?: true;
  // Its link in the navigation; absent for pages that others link to.
  readonly nav?: { readonly group: 'work' | 'tools' | 'operate' | 'trail'; readonly label: (t: Text) => string };
}
