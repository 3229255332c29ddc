// The page: the sign-in, or the conversation between its header and the line to write in.

import { useEffect, useRef, useState } from 'preact/hooks';
import { asProblem } from '../../../console/src/api/problem';
import { Button } from '../../../console/src/components/button';
import { toast, Toasts } from '../../../console/src/components/toast';
import { Log } from './log';
import { Remembered } from './remembered';
import { consents, conversation, lost, person, post, signIn, signOut } from './server';
import { text } from './text';

export function App() {
  const name = person.value;
  return (
    <>
      {name === undefined ? null : name === '' ? <SignIn /> : <Chat name={name} />}
      <Toasts />
    </>
  );
}

// attempt runs a request of the person, and says why it failed.
async function attempt(what: () => Promise<void>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (err) {
    toast(asProblem(err).message, 'bad');
    return false;
  }
}

function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (e: Event) => {
    e.preventDefault();
    void attempt(() => signIn(field.current?.value ?? ''));
  };
  return (
    <main class="sign-in">
      <h1>{text().title}</h1>
      <form id="login" class="card" onSubmit={submit}>
        <label class="field" for="name">{text().name}<input ref={field} id="name" name="name" pattern="[A-Za-z0-9_\-]{1,64}" autocomplete="username" required /></label>
        <Button type="submit" kind="primary" wide>{text().signIn}</Button>
        <p class="small faint">{text().anybody}</p>
      </form>
    </main>
  );
}

function Chat({ name }: { name: string }) {
  const [listing, setListing] = useState(false);
  return (
    <div id="chat">
      <header class="bar">
        <h1>{text().title}</h1>
        <span class="small faint"><span class="as">{text().as} </span><strong id="who">{name}</strong></span>
        <Button kind="quiet" onClick={() => setListing(true)}>{text().remembered}</Button>
        <Button kind="quiet" onClick={() => attempt(signOut)}>{text().signOut}</Button>
      </header>
      <main>
        <Log />
        <State name={name} />
        <Say />
      </main>
      {listing && <Remembered onClose={() => setListing(false)} />}
    </div>
  );
}

// State says what the conversation waits for.
function State({ name }: { name: string }) {
  const waiting = [...consents.value.values()].filter((c) => c.status === 'pending');
  const { items, busy } = conversation.value;
  const running = items.flatMap((i) => (i.kind === 'call' && (i.call.state === 'queued' || i.call.state === 'running') ? [i.call.tool] : []));
  let says = '';
  if (lost.value) says = text().lost;
  else if (waiting.length > 0) says = text().waitsForYou(name, waiting.map((c) => c.tool).join(', '));
  else if (busy) says = running.length > 0 ? text().waitsForTools(running.join(', ')) : text().waitsForModel;
  return <p id="state" role="status" class="small faint">{says}</p>;
}

// Say sends what the person writes. While the model answers it is kept.
function Say() {
  const field = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [sending, setSending] = useState(false);
  const busy = sending || conversation.value.busy;
  useEffect(() => field.current?.focus(), []);
  const submit = async (e: Event) => {
    e.preventDefault();
    const input = field.current;
    if (busy || !input?.value.trim()) return;
    setSending(true);
    if (await attempt(() => post('say', { text: input.value }))) input.value = '';
    setSending(false);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
    e.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form id="say" ref={form} onSubmit={submit}>
      <label class="sr" for="text">{text().message}</label>
      <textarea ref={field} id="text" name="text" rows={2} placeholder={text().message} aria-describedby="hint" onKeyDown={onKeyDown} />
      <Button type="submit" kind="primary" busy={busy}>{text().send}</Button>
      <span id="hint" class="sr">{text().hint}</span>
    </form>
  );
}
