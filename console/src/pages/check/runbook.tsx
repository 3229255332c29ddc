// A page of docs/runbooks: what an alert means, and what to do.

import type { ComponentChildren } from 'preact';
import runbooks from 'runbooks';
import type { PageProps } from '../../app/area';
import { Empty } from '../../components/failure';
import { Page } from '../../components/page';
import { t } from '../../text';
import { blocksOf, spansOf, type Block } from './blocks';

export default function Runbook({ params }: PageProps) {
  const name = params['runbook'] ?? '';
  const blocks = blocksOf(runbooks.get(name) ?? '');
  return (
    <Page title={name}>
      <p><a href="/check">{t().check.title}</a></p>
      {blocks.length === 0
        ? <Empty title={t().check.noRunbook}>{t().check.noRunbookText}</Empty>
        : <article class="stack" lang="en">{blocks.map((b, i) => <One key={i} of={b} />)}</article>}
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
