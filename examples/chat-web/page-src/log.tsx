// The conversation, which keeps to its end unless the person has scrolled up to read.

import { memo } from 'preact/compat';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../../console/src/components/button';
import type { Consent } from '../../../console/src/consent/host';
import { CallCard } from './card';
import type { Item } from './conversation';
import { Markdown } from './markdown';
import { Said } from './said';
import { consents, conversation } from './server';
import { text } from './text';

const nearEnd = 40;

export function Log() {
  const log = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const { items, busy } = conversation.value;
  const all = consents.value;
  useLayoutEffect(() => {
    if (atEnd && log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [items, all, atEnd]);
  const scrolled = () => {
    const at = log.current;
    if (at) setAtEnd(at.scrollHeight - at.scrollTop - at.clientHeight < nearEnd);
  };
  return (
    <div class="reading">
      <div id="log" ref={log} role="log" aria-label={text().conversation} aria-busy={busy} tabIndex={0} onScroll={scrolled}>
        {items.map((item, i) => <Shown key={i} of={item} asked={item.kind === 'call' ? all.get(item.call.consent ?? '') : undefined} />)}
      </div>
      {!atEnd && <div class="newest"><Button onClick={() => setAtEnd(true)}>{text().newest}</Button></div>}
    </div>
  );
}

const Shown = memo(function Shown({ of, asked }: { of: Item; asked: Consent | undefined }) {
  if (of.kind === 'call') return <CallCard call={of.call} asked={asked} />;
  return (
    <article class={of.kind}>
      <h2 class="sr">{text()[of.kind]}</h2>
      {of.kind === 'model' ? <Markdown text={of.text} /> : <p class="raw"><Said text={of.text} /></p>}
    </article>
  );
});
