// The grammars of code that is highlighted. A file of its own: they are loaded with the
// first code that is shown.

import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import { createLowlight } from 'lowlight';

export type Language = 'bash' | 'javascript' | 'json' | 'python' | 'sql';

export interface Token {
  readonly text: string;
  readonly kind?: string;
}

const grammars = createLowlight({ bash, javascript, json, python, sql });

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: { readonly className?: readonly string[] };
}

// tokens splits code into pieces of a kind; joined they are the code.
export function tokens(code: string, language: Language): Token[] {
  const all: Token[] = [];
  const walk = (node: Node, kind?: string) => {
    if (node.type === 'text') all.push(kind ? { text: node.value ?? '', kind } : { text: node.value ?? '' });
    const own = node.properties?.className?.[0]?.replace('hljs-', '') ?? kind;
    for (const child of node.children ?? []) walk(child, own);
  };
  walk(grammars.highlight(language, code) as unknown as Node);
  return all;
}
