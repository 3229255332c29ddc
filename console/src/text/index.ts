// The language of the page: all visible text is in en.ts and de.ts, of the same type.

import { computed, signal } from '@preact/signals';
import { de } from './de';
import { en, type Text } from './en';
import { read, write } from '../lib/stored';

export type { Text };

const languages: Record<string, Text> = { en, de };

// chosen is a language of a person's choice; '' follows the browser.
const chosen = signal(read('language'));

export const language = computed(() => {
  const wanted = chosen.value ? [chosen.value] : navigator.languages;
  return wanted.map((l) => l.slice(0, 2)).find((l) => l in languages) ?? 'en';
});

// text is everything that the page says, in its language. Read it as t() within a
// component, which then follows the language.
const text = computed<Text>(() => languages[language.value] ?? en);

export function t(): Text {
  return text.value;
}

export const languageNames: readonly (readonly [string, string])[] = [['en', 'English'], ['de', 'Deutsch']];

export function setLanguage(to: string): void {
  chosen.value = to;
  write('language', to);
}
