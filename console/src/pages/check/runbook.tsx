// A page of docs/runbooks: what an alert means, and what to do.

import type { ComponentChildren } from 'preact';
import { useLive } from '../../api/live';
import type { PageProps } from '../../app/area';
import { Empty } from '../../components/failure';
import { Loaded } from '../../components/loaded';
import { Page } from '../../components/page';
import { t } from '../../text';
import { blocksOf, spansOf, type Block } from './blocks';

// Each page is a file of its own, which is read when it is opened. A name that has no page
// is no request.
async function read(name: string): Promise<readonly Block[]> {
  if (!/^Helve[A-Za-z]+$/.test(name)) return [];
  try {
    return blocksOf(((await import(`../../../../docs/runbooks/${name}.md`)) as { default: string }).default);
  } catch (err) {
    if (err instanceof TypeError) throw err; // the file could not be read
    return [];
  }
}

export default function Runbook({ params }: PageProps) {
  const name = params['runbook'] ?? '';
  const live = useLive(`runbook ${name}`, () => read(name));
  return (
    <Page title={name}>
      <p><a href="/check">{t().check.title}</a></p>
      <Loaded of={live}>{(blocks) => blocks.length === 0
        ? <Empty title={t().check.noRunbook}>{t().check.noRunbookText}</Empty>
        : <article class="stack" lang="en">{blocks.map((b, i) => <One key={i} of={b} />)}</article>}</Loaded>
    </Page>
  );
}

function One({ of: b }: { of: Block }) {
  switch (b.kind) {
    case 'title':
      return <h2>{b.text}</h2>;
    case 'list':
      return <ul>{b.items.map((x, i) => <li key={i}>{spans(x)}</li>)}</ul>;
    case 'steps':
      return <ol>{b.items.map((x, i) => <li key={i}>{spans(x)}</li>)}</ol>;
    case 'text':
      return <p>{spans(b.text)}</p>;
  }
}

function spans(text: string): ComponentChildren {
  return spansOf(text).map((s, i) => (s.code ? <code key={i}>{s.text}</code> : s.page ? <a key={i} href={`/check/${s.page}`}>{s.text}</a> : s.text));
}
