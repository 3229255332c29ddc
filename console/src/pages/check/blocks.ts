// Reads the Markdown that runbooks are written in: titles, paragraphs and lists.

export type Block =
  | { readonly kind: 'title' | 'text'; readonly text: string }
  | { readonly kind: 'list' | 'steps'; readonly items: readonly string[] };

// blocksOf leaves the first title out, which is the name of the page.
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const part of markdown.split(/\n{2,}/).map((p) => p.trim()).filter(Boolean)) {
    if (part.startsWith('# ')) continue;
    if (part.startsWith('## ')) blocks.push({ kind: 'title', text: part.slice(3) });
    else if (/^- /.test(part)) blocks.push({ kind: 'list', items: part.split(/^- /m).filter(Boolean).map((x) => x.trim()) });
    else if (/^\d+\. /.test(part)) blocks.push({ kind: 'steps', items: part.split(/^\d+\. /m).filter(Boolean).map((x) => x.trim()) });
    else blocks.push({ kind: 'text', text: part });
  }
  return blocks;
}

export interface Span {
  readonly text: string;
  readonly code?: boolean;
  // The runbook that it links to.
  readonly page?: string;
}

// spansOf splits a text into words, code and links. Links to other documents are words: the
// console does not have these.
export function spansOf(text: string): Span[] {
  return text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).filter(Boolean).map((part) => {
    if (part.startsWith('`')) return { text: part.slice(1, -1), code: true };
    const [, words = '', to = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    if (!to) return { text: part };
    const page = /^(Helve[A-Za-z]+)\.md$/.exec(to)?.[1];
    return page ? { text: words, page } : { text: words };
  });
}
