// What a page tells the list about its things. A page is a definition and a hook that reads rows.

import type { ComponentChildren } from 'preact';
import type { Problem } from '../../api/problem';
import type { Outcome, Tone } from './outcome';

// Filters are the chosen ones, by the names of the API, as the address has them.
export type Filters = Readonly<Record<string, string>>;

// Rows are what a page has read so far.
export interface Rows<R> {
  // undefined until something is read.
  readonly rows: readonly R[] | undefined;
  // The rows are those of filters chosen before; the new ones are on their way.
  readonly stale: boolean;
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
  // Whether the server has more, and why the last try to read them failed.
  readonly more: boolean;
  readonly moreProblem?: Problem | undefined;
  readonly showMore: () => void;
  // More is read by itself near the end; a search, which costs the server much, goes on by hand.
  readonly auto: boolean;
}

// Line is what a row shows.
export interface Line {
  readonly outcome: Outcome;
  // The word beside the glyph for readers who do not see it, if it is not the outcome's own.
  readonly word?: string;
  // The colour of the glyph, if it is not the outcome's own.
  readonly tone?: Tone;
  readonly what: ComponentChildren;
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly when: ComponentChildren;
}

export interface Facet<R> {
  // The parameter of the address and of the API.
  readonly name: string;
  readonly label: string;
  // The value of a row; '' for none.
  readonly valueOf: (row: R) => string;
  // What a value is called; undefined for one from outside, which is shown as it is.
  readonly word?: (value: string) => string | undefined;
  // Values that can be chosen although no loaded row has them.
  readonly choices?: readonly string[];
  // A person may type a value that fits this pattern.
  readonly pattern?: string;
  // The page filters the loaded rows itself, since the API has no such parameter.
  readonly local?: boolean;
  // Parameters that choosing a value sets, if it is not just the one of this name.
  readonly set?: (value: string) => Readonly<Record<string, string>>;
  readonly chosen?: (filters: Filters) => string;
}

// Search is the box above the list.
export interface Search<R> {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  // Reports whether a row has the words, where the page searches the loaded rows itself.
  readonly fits?: (row: R, words: string) => boolean;
}

// Act is done to each of several rows, one after the other.
export interface Act<R> {
  readonly name: string;
  readonly label: string;
  readonly kind: 'plain' | 'bad';
  readonly fits: (row: R) => boolean;
  readonly run: (row: R) => Promise<unknown>;
  readonly title: (n: number) => string;
  readonly done: (n: number) => string;
}

// Group is what alike rows have in common.
export interface Group {
  readonly key: string;
  readonly label: ComponentChildren;
}

// Steps is what a detail may do to the list beside it.
export interface Steps {
  // Goes to the next row that waits for an answer, after the one with this id.
  readonly next: (id: string) => void;
  // The address of the list without a detail, and the way there.
  readonly back: string;
  readonly close: () => void;
}

export interface Definition<R> {
  // Tells lists apart, for what is kept of each.
  readonly name: string;
  readonly title: string;
  // The title of the document, if it is more.
  readonly documentTitle?: string;
  // The address of the list, and what comes before the id in that of a detail.
  readonly path: string;
  readonly item: string;
  readonly idOf: (row: R) => string;
  readonly line: (row: R) => Line;
  readonly facets: readonly Facet<R>[];
  readonly search?: Search<R>;
  // The time of a row, for the histogram and the choice of a period; the API takes from and to.
  readonly timeOf?: (row: R) => string | undefined;
  readonly found: (n: number, more: boolean) => string;
  readonly empty: readonly [title: string, text: string, filtered: string];
  readonly aside?: ComponentChildren;
  // Between the filters and the rows.
  readonly above?: ComponentChildren;
  readonly detail: (id: string, row: R | undefined, steps: Steps) => ComponentChildren;
  // The detail of the current row is shown beside the list without an address of its own.
  readonly preview?: (row: R, steps: Steps) => ComponentChildren;
  // Whether a row waits for an answer of this person.
  readonly waits?: (row: R) => boolean;
  // What can be done to several rows; without any there is nothing to select.
  readonly acts?: readonly Act<R>[];
  readonly groupOf?: (row: R) => Group | undefined;
}
