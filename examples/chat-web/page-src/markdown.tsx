// Shows the Markdown of a model. The parser only reads it: what it finds becomes elements of
// a closed set, with texts as their only contents, so nothing that a model or a tool wrote
// becomes markup of its own. HTML stays the text that it was written as, a picture becomes a
// link, and a link shows where it leads.

import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Code, type Language } from '../../../console/src/components/code';
import { Said } from './said';

// Longer texts, and those nested deeper than the parser can go, are shown as they are.
const longest = 100_000;

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => read(text), [text]);
  return <div class="markdown">{tokens ? <Blocks of={tokens} /> : <p class="raw"><Said text={text} /></p>}</div>;
}

function read(text: string): Token[] | undefined {
  if (text.length > longest) return undefined;
  try {
    const tokens = lexer(text, { gfm: true });
    return depth(tokens) > deepest ? undefined : tokens;
  } catch {
    return undefined;
  }
}

const deepest = 40;

function depth(of: readonly Token[]): number {
  return of.reduce((d, token) => Math.max(d, 1 + depth(childrenOf(token))), 0);
}

function childrenOf(token: Token): readonly Token[] {
  return (token as Tokens.List).items ?? (token as Tokens.Generic).tokens ?? [];
}

function Blocks({ of }: { of: readonly Token[] }) {
  return <>{of.map((token, i) => <Block key={i} of={token as MarkedToken} />)}</>;
}

function Block({ of }: { of: MarkedToken }): ComponentChildren {
  switch (of.type) {
    case 'space': case 'def': return null;
    case 'hr': return <hr />;
    case 'heading': return <Heading depth={of.depth}><Spans of={of.tokens} /></Heading>;
    case 'code': return <Code code={of.text} language={languageOf(of.lang)} label={of.lang || 'code'} />;
    case 'blockquote': return <blockquote><Blocks of={of.tokens} /></blockquote>;
    case 'paragraph': return <p><Spans of={of.tokens} /></p>;
    case 'list': return of.ordered ? <ol start={Number(of.start)}><Entries of={of.items} /></ol> : <ul><Entries of={of.items} /></ul>;
    case 'table': return <Table of={of} />;
    case 'html': return <p class="raw"><Said text={of.raw.trim()} /></p>;
    default: return <Span of={of} />;
  }
}

// Heading: the page's own headings are of the first and second level.
function Heading({ depth, children }: { depth: number; children: ComponentChildren }) {
  if (depth === 1) return <h3>{children}</h3>;
  return depth === 2 ? <h4>{children}</h4> : <h5>{children}</h5>;
}

function Entries({ of }: { of: readonly Tokens.ListItem[] }) {
  return <>{of.map((item, i) => <li key={i} class={item.task ? 'task' : undefined}><Blocks of={item.tokens} /></li>)}</>;
}

function Table({ of }: { of: Tokens.Table }) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={of.header.map((c) => c.text).join(', ')}>
      <table>
        <thead><tr>{of.header.map((c, i) => <th key={i} scope="col"><Spans of={c.tokens} /></th>)}</tr></thead>
        <tbody>{of.rows.map((row, i) => <tr key={i}>{row.map((c, n) => <td key={n}><Spans of={c.tokens} /></td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

function Spans({ of }: { of: readonly Token[] }) {
  return <>{of.map((token, i) => <Span key={i} of={token as MarkedToken} />)}</>;
}

function Span({ of }: { of: MarkedToken }): ComponentChildren {
  switch (of.type) {
    case 'text': return of.tokens ? <Spans of={of.tokens} /> : <Said text={decoded(of.text)} />;
    case 'escape': return <Said text={of.text} />;
    case 'strong': return <strong><Spans of={of.tokens} /></strong>;
    case 'em': return <em><Spans of={of.tokens} /></em>;
    case 'del': return <del><Spans of={of.tokens} /></del>;
    case 'codespan': return <code><Said text={of.text} /></code>;
    case 'br': return <br />;
    case 'checkbox': return <>{of.checked ? '☑ ' : '☐ '}</>;
    case 'link': return <Link of={of}><Spans of={of.tokens} /></Link>;
    case 'image': return <Link of={of}><Said text={of.text || of.href} /></Link>;
    default: return <Said text={of.raw} />;
  }
}

// Link shows where it leads beside its words, since a model may be made to lie about that.
// An address that is no page and no mailbox stays as it was written.
function Link({ of, children }: { of: Tokens.Link | Tokens.Image; children: ComponentChildren }) {
  const url = target(decoded(of.href));
  if (!url) return <Said text={of.raw} />;
  const place = url.protocol === 'mailto:' ? url.pathname : url.host;
  return <><a href={url.href} rel="noopener noreferrer nofollow" target="_blank">{children}</a>{of.text !== of.href && of.text !== place && ` (${place})`}</>;
}

// target returns the address that a link may lead to.
export function target(href: string): URL | undefined {
  if (!/^(https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href);
}

const characters: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&nbsp;': '\u00a0' };

// decoded replaces the references that models write.
function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (all) => characters[all] ?? all);
}

const languages: Readonly<Record<string, Language>> = {
  bash: 'bash', sh: 'bash', shell: 'bash', console: 'bash', js: 'javascript', javascript: 'javascript', ts: 'javascript', typescript: 'javascript',
  json: 'json', py: 'python', python: 'python', sql: 'sql',
};

function languageOf(name = ''): Language | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(languages, key) ? languages[key] : undefined;
}
